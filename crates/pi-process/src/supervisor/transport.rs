//! Frames over the control socket, partial reads and writes and descriptors included. Meaning of
//! the frames is the driver's.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use pi_supervisor::wire::{Event, FrameReader, MAX_DESCRIPTORS};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys::watch;

/// The host's end of the socket.
pub(super) type Socket = OwnedFd;

/// Bytes read at once; events are a few dozen bytes.
const READ_BYTES: usize = 4096;

/// A frame on its way out.
#[derive(Debug)]
pub(super) struct Frame {
    bytes: Vec<u8>,
    sent: usize,
    /// Closed here as soon as the kernel has them.
    descriptors: Vec<OwnedFd>,
}

impl Frame {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self::with_descriptors(bytes, Vec::new())
    }

    pub(super) fn with_descriptors(bytes: Vec<u8>, descriptors: Vec<OwnedFd>) -> Self {
        Self { bytes, sent: 0, descriptors }
    }

    /// Sends some of it; the descriptors go with the first byte.
    fn send_some(&mut self, socket: &Socket) -> Result<(), Errno> {
        let rest = self.bytes.get(self.sent..).unwrap_or_default();
        let sent = if self.descriptors.is_empty() {
            rustix::net::send(socket, rest, send_flags())?
        } else {
            let descriptors: Vec<_> = self.descriptors.iter().map(AsFd::as_fd).collect();
            let mut space =
                [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            if !ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)) {
                return Err(Errno::TOOBIG);
            }
            rustix::net::sendmsg(socket, &[IoSlice::new(rest)], &mut ancillary, send_flags())?
        };
        self.descriptors.clear();
        self.sent += sent;
        Ok(())
    }
}

/// What became of the first frame of the queue.
pub(super) enum Sent {
    /// It is out, or some more of it is.
    Progress,
    /// The kernel does not take its descriptors; nothing of it went out and it was dropped.
    Refused {
        /// Id it was queued with.
        id: u32,
        /// What the system said.
        error: io::Error,
    },
}

/// The socket with what waits to be sent and what was not a whole frame yet.
pub(super) struct Connection {
    socket: AsyncFd<Arc<Socket>>,
    outgoing: VecDeque<(u32, Frame)>,
    reader: FrameReader,
    /// The last descriptor that came.
    passed: Option<OwnedFd>,
}

impl Connection {
    /// Must be called within a tokio runtime with I/O. The socket does not block.
    pub(super) fn new(socket: Socket) -> io::Result<Self> {
        let socket = watch(Arc::new(socket), Interest::READABLE | Interest::WRITABLE)?;
        let reader = FrameReader::default();
        Ok(Self { socket, outgoing: VecDeque::new(), reader, passed: None })
    }

    pub(super) fn socket(&self) -> Arc<Socket> {
        Arc::clone(self.socket.get_ref())
    }

    /// Takes the descriptor that came with what was read so far.
    pub(super) fn take_passed(&mut self) -> Option<OwnedFd> {
        self.passed.take()
    }

    pub(super) fn queue(&mut self, id: u32, frame: Frame) {
        self.outgoing.push_back((id, frame));
    }

    /// Waits until the socket takes or gives bytes, and takes or gives them. Cancel-safe: bytes
    /// move only when it returns.
    ///
    /// # Errors
    /// `UnexpectedEof` when the supervisor closed its end, `InvalidData` when it sent no events,
    /// and what the socket says; the connection is over then.
    pub(super) async fn exchange(&mut self) -> io::Result<Traffic> {
        loop {
            // Asked each time: a socket that takes bytes, and has none to take, would be ready for ever.
            let interest = if self.outgoing.is_empty() {
                Interest::READABLE
            } else {
                Interest::READABLE | Interest::WRITABLE
            };
            let mut guard = self.socket.ready(interest).await?;
            if guard.ready().is_readable() || guard.ready().is_read_closed() {
                let mut buffer = [0; READ_BYTES];
                match receive(guard.get_inner(), &mut buffer, &mut self.passed) {
                    Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(count) => {
                        self.reader.push(buffer.get(..count).unwrap_or_default());
                        return Ok(Traffic::Received);
                    }
                    Err(Errno::INTR) => continue,
                    Err(Errno::AGAIN) => {
                        guard.clear_ready_matching(tokio::io::Ready::READABLE);
                    }
                    Err(errno) => return Err(errno.into()),
                }
            }
            if let Some((id, frame)) = self.outgoing.front_mut() {
                match frame.send_some(guard.get_inner()) {
                    Ok(()) => {
                        if frame.sent == frame.bytes.len() {
                            self.outgoing.pop_front();
                        }
                        return Ok(Traffic::Sent(Sent::Progress));
                    }
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => guard.clear_ready_matching(tokio::io::Ready::WRITABLE),
                    Err(errno) if frame.sent == 0 && errno != Errno::PIPE => {
                        let id = *id;
                        self.outgoing.pop_front();
                        let error = errno.into();
                        return Ok(Traffic::Sent(Sent::Refused { id, error }));
                    }
                    // What can still be read, the last events, comes before the end.
                    Err(_) => self.outgoing.clear(),
                }
            }
        }
    }

    /// Reads what is there without waiting; for the last events of a dead supervisor.
    pub(super) fn receive_rest(&mut self) {
        let mut buffer = [0; READ_BYTES];
        loop {
            match rustix::net::recv(&**self.socket.get_ref(), &mut buffer, receive_flags()) {
                Ok((_, 0)) | Err(Errno::AGAIN) => return,
                Ok((_, count)) => self.reader.push(buffer.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }

    /// The next whole event.
    ///
    /// # Errors
    /// `InvalidData` when the supervisor sent something else.
    pub(super) fn next_event(&mut self) -> io::Result<Option<Event>> {
        let invalid = |error| io::Error::new(io::ErrorKind::InvalidData, error);
        let Some(body) = self.reader.next_frame().map_err(invalid)? else { return Ok(None) };
        Event::decode(body).map(Some).map_err(invalid)
    }
}

/// What an exchange did.
pub(super) enum Traffic {
    /// Bytes came in; there may be events.
    Received,
    /// Bytes went out, or could not.
    Sent(Sent),
}

/// Reads once, with a descriptor where one comes.
fn receive(
    socket: &Socket,
    buffer: &mut [u8],
    passed: &mut Option<OwnedFd>,
) -> Result<usize, Errno> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let parts = &mut [IoSliceMut::new(buffer)];
    let message = rustix::net::recvmsg(socket, parts, &mut ancillary, receive_flags())?;
    for part in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = part {
            *passed = descriptors.last();
        }
    }
    Ok(message.bytes)
}

#[cfg(target_os = "linux")]
fn receive_flags() -> RecvFlags {
    RecvFlags::CMSG_CLOEXEC
}

/// Only Linux passes descriptors this way round.
#[cfg(not(target_os = "linux"))]
fn receive_flags() -> RecvFlags {
    RecvFlags::empty()
}

#[cfg(target_os = "linux")]
fn send_flags() -> SendFlags {
    SendFlags::NOSIGNAL
}

/// macOS sets the like on the socket itself (`SO_NOSIGPIPE`), see `launch`.
#[cfg(not(target_os = "linux"))]
fn send_flags() -> SendFlags {
    SendFlags::empty()
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::*;

    /// A connection, and the supervisor's end of it.
    fn connection() -> (Connection, UnixStream) {
        let (own, peer) = UnixStream::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        (Connection::new(own.into()).unwrap(), peer)
    }

    async fn exchange(connection: &mut Connection) -> io::Result<Traffic> {
        tokio::time::timeout(Duration::from_secs(30), connection.exchange()).await.unwrap()
    }

    #[tokio::test]
    async fn a_frame_whose_descriptors_are_refused_is_dropped_and_the_next_one_is_sent() {
        use std::io::Read as _;
        let (mut connection, mut peer) = connection();
        let null = std::fs::File::open("/dev/null").unwrap();
        let too_many = (0..2 * MAX_DESCRIPTORS).map(|_| null.try_clone().unwrap().into()).collect();
        connection.queue(7, Frame::with_descriptors(b"first".to_vec(), too_many));
        connection.queue(8, Frame::new(b"second".to_vec()));

        let refused = exchange(&mut connection).await.unwrap();
        assert!(matches!(refused, Traffic::Sent(Sent::Refused { id: 7, .. })));
        let sent = exchange(&mut connection).await.unwrap();
        assert!(matches!(sent, Traffic::Sent(Sent::Progress)));
        drop(connection);
        let mut text = String::new();
        peer.read_to_string(&mut text).unwrap();
        assert_eq!(text, "second");
    }

    #[tokio::test]
    async fn what_a_supervisor_that_takes_nothing_more_still_says_is_heard() {
        use std::io::Write as _;
        let (mut connection, mut peer) = connection();
        peer.shutdown(std::net::Shutdown::Read).unwrap();
        connection.queue(7, Frame::new(b"unheard".to_vec()));
        let early = tokio::time::timeout(Duration::from_millis(5), connection.exchange()).await;
        assert!(early.is_err(), "nothing is said yet");

        peer.write_all(b"word").unwrap();

        let received = exchange(&mut connection).await.unwrap();
        assert!(matches!(received, Traffic::Received));
    }
}
