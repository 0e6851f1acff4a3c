//! The socket between the host and one shell: whole messages, descriptors with orders, and who sent what.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use pi_process::sys::LazyWatch;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
};

use super::protocol::{Report, VERSION};
use crate::inline;
use crate::session::ground::ReportId;

/// Longest report read: a directory's name is what makes it long, and bash keeps longer ones than the kernel.
const REPORT_BYTES: usize = 16_384;

/// Time that a copy may take to greet, on a machine that hardly runs.
pub(super) const GREETING_LIMIT: Duration = Duration::from_secs(5);

/// The host's end.
pub(in crate::session) struct Channel {
    socket: LazyWatch,
    /// Which file the shell's end is.
    peer: ReportId,
    /// What was read while something else was waited for.
    early: VecDeque<Message>,
}

/// A report, and the process that sent it, as this host counts.
pub(super) struct Message {
    pub(super) report: Report,
    pub(super) pid: i32,
}

/// A shell that has greeted.
pub(super) struct Greeting {
    pub(super) pid: i32,
    /// Bash's version, as in `$BASH_VERSION`.
    pub(super) bash: String,
    pub(super) can_stop: bool,
}

/// A copy ended because it could not give its rights up.
#[derive(Debug, thiserror::Error)]
#[error("{step} failed: {source}")]
pub(super) struct NotConfined {
    step: &'static str,
    source: io::Error,
}

impl Channel {
    /// A channel and the end for the shell.
    pub(super) fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        // The shell waits on its end, so only ours does not block.
        rustix::io::ioctl_fionbio(&ours, true)?;
        // Before anyone can speak: who speaks comes with every message.
        rustix::net::sockopt::set_socket_passcred(&ours, true)?;
        let found = rustix::fs::fstat(&theirs)?;
        let socket = LazyWatch::new(ours);
        let peer = Some((found.st_dev, found.st_ino));
        Ok((Self { socket, peer, early: VecDeque::new() }, theirs))
    }

    /// Which file the shell's end is.
    pub(super) fn peer(&self) -> ReportId {
        self.peer
    }

    /// Whether the other end is gone, and all it said was taken.
    pub(super) fn has_ended(&self) -> bool {
        match rustix::net::recv(self.socket.descriptor(), &mut [0_u8; 1], RecvFlags::PEEK) {
            Ok((peeked, _length)) => peeked == 0,
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => false,
            Err(_gone) => true,
        }
    }

    /// Whether the shell has not read all orders.
    pub(super) fn has_unread_order(&self) -> bool {
        pi_process::sys::has_unread_at_peer(self.socket.descriptor().as_fd())
    }

    /// Sends an order; never waits.
    pub(super) fn send(&self, order: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors))
        {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let socket = self.socket.descriptor();
        loop {
            let parts = [IoSlice::new(order)];
            match rustix::net::sendmsg(socket, &parts, &mut ancillary, SendFlags::NOSIGNAL) {
                Ok(_whole) => return Ok(()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The next message; `BrokenPipe` at the end. `ConnectionReset`: the shell is gone and has left an order unread.
    /// Cancel-safe.
    pub(super) async fn receive(&mut self) -> io::Result<Message> {
        if let Some(message) = self.early.pop_front() {
            return Ok(message);
        }
        loop {
            if inline::is_inline() {
                // The caller's thread is notified of the report, and the runtime is not.
                self.socket.unwatch();
                inline::report_of(self.socket.shared()).await;
                match self.receive_now()? {
                    Some(message) => return Ok(message),
                    None => continue,
                }
            }
            let mut ready = self.socket.watched()?.readable().await?;
            match ready.try_io(|socket| read(socket.get_ref())) {
                Ok(Ok(Read::Nothing)) => {}
                Ok(Ok(Read::Message(message))) => return Ok(message),
                Ok(Ok(Read::End)) => return Err(io::ErrorKind::BrokenPipe.into()),
                Ok(Err(error)) => return Err(error),
                Err(_would_block) => {}
            }
        }
    }

    /// A message that is there already; `BrokenPipe` at the end.
    pub(super) fn receive_now(&mut self) -> io::Result<Option<Message>> {
        if let Some(message) = self.early.pop_front() {
            return Ok(Some(message));
        }
        loop {
            match read(self.socket.descriptor()) {
                Ok(Read::Message(message)) => return Ok(Some(message)),
                Ok(Read::Nothing) => {}
                Ok(Read::End) => return Err(io::ErrorKind::BrokenPipe.into()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for the shell's greeting; bounded.
    pub(super) async fn greeting(&mut self) -> io::Result<Greeting> {
        let greeted = async {
            loop {
                let message = self.receive().await?;
                match message.report {
                    Report::Greeting { version: VERSION, bash, can_stop } => {
                        return Ok(Greeting { pid: message.pid, bash, can_stop });
                    }
                    Report::Greeting { .. } => return Err(io::ErrorKind::InvalidData.into()),
                    Report::NotConfined { step, errno } => {
                        let source = io::Error::from_raw_os_error(errno);
                        return Err(io::Error::other(NotConfined { step, source }));
                    }
                    _ => {}
                }
            }
        };
        tokio::time::timeout(GREETING_LIMIT, greeted)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Waits for the answer of the process `pid` to the order to leave a copy: the copy's process id, as its
    /// parent counts. What else is said meanwhile is kept. Bounded.
    pub(super) async fn forked(&mut self, sequence: u32, pid: i32) -> io::Result<i32> {
        let mut others = VecDeque::new();
        let answered = async {
            loop {
                let message = self.receive().await?;
                match message.report {
                    Report::Forked { sequence: answered, result }
                        if (answered, message.pid) == (sequence, pid) =>
                    {
                        return result.map_err(io::Error::from_raw_os_error);
                    }
                    Report::Refused { sequence: answered, errno }
                        if (answered, message.pid) == (sequence, pid) =>
                    {
                        return Err(io::Error::from_raw_os_error(errno));
                    }
                    _ => others.push_back(message),
                }
            }
        };
        let result = tokio::time::timeout(GREETING_LIMIT, answered)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        self.early.append(&mut others);
        result
    }
}

enum Read {
    Message(Message),
    /// Something that is no message of a shell.
    Nothing,
    End,
}

fn read(socket: impl AsFd) -> io::Result<Read> {
    let mut bytes = [0_u8; REPORT_BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4), ScmCredentials(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut parts = [IoSliceMut::new(&mut bytes)];
        match rustix::net::recvmsg(&socket, &mut parts, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Ok(received) => break received,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    // Descriptors that someone sends are closed with the iterator.
    let sender = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmCredentials(sender) => Some(sender.pid.as_raw_nonzero().get()),
        _ => None,
    });
    // A message of no bytes and the end look the same but for the sender.
    let Some(pid) = sender else { return Ok(Read::End) };
    let report = Report::decode(bytes.get(..received.bytes).unwrap_or_default());
    Ok(report.map_or(Read::Nothing, |report| Read::Message(Message { report, pid })))
}

#[cfg(test)]
mod tests {
    use super::super::protocol::cases::written;
    use super::*;

    fn own_pid() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    fn say(theirs: &OwnedFd, report: &Report) {
        rustix::net::send(theirs, &written(report), SendFlags::empty()).unwrap();
    }

    /// What the host makes of what a shell says first.
    async fn greeted(said: &Report) -> io::Result<Greeting> {
        let (mut channel, theirs) = Channel::pair().unwrap();
        // Of another order; a greeting is waited for.
        say(&theirs, &Report::Refused { sequence: 1, errno: 1 });
        say(&theirs, said);
        channel.greeting().await
    }

    #[tokio::test]
    async fn a_shell_that_greets_says_which_bash_it_is_or_why_it_is_of_no_use() {
        let greeting = |version| Report::Greeting { version, bash: "5.2".into(), can_stop: true };

        let greeted_well = greeted(&greeting(VERSION)).await.unwrap();
        assert_eq!((greeted_well.pid, greeted_well.bash.as_str()), (own_pid(), "5.2"));
        assert!(greeted_well.can_stop);
        let other = greeted(&greeting(VERSION + 1)).await.err().unwrap();
        assert_eq!(other.kind(), io::ErrorKind::InvalidData);
        let report = Report::NotConfined { step: "setting TMPDIR", errno: libc::ENOSPC };
        let not_confined = greeted(&report).await.err().unwrap();
        assert!(not_confined.to_string().starts_with("setting TMPDIR failed: "), "{not_confined}");
    }

    #[tokio::test]
    async fn answers_to_other_orders_to_leave_a_copy_are_kept() {
        let (mut channel, theirs) = Channel::pair().unwrap();
        let earlier = [
            Report::Forked { sequence: 1, result: Ok(40) },
            Report::Refused { sequence: 2, errno: 1 },
        ];
        for report in &earlier {
            say(&theirs, report);
        }
        say(&theirs, &Report::Forked { sequence: 3, result: Ok(41) });
        say(&theirs, &Report::Refused { sequence: 4, errno: libc::EAGAIN });

        assert_eq!(channel.forked(3, own_pid()).await.unwrap(), 41);
        let refused = channel.forked(4, own_pid()).await.unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EAGAIN));
        for report in earlier {
            assert_eq!(channel.receive_now().unwrap().map(|message| message.report), Some(report));
        }
        assert!(channel.receive_now().unwrap().is_none());
    }

    #[tokio::test]
    async fn a_shell_that_is_gone_is_distinguished_from_one_that_is_silent() {
        let (mut channel, theirs) = Channel::pair().unwrap();
        assert!(channel.receive_now().unwrap().is_none());
        channel.send(b"order", &[]).unwrap();
        assert!(channel.has_unread_order() && !channel.has_ended());

        drop(theirs);

        let unread = channel.receive_now().err().unwrap();
        assert_eq!(unread.kind(), io::ErrorKind::ConnectionReset);
        let end = channel.receive_now().err().unwrap();
        assert_eq!(end.kind(), io::ErrorKind::BrokenPipe);
        assert!(channel.has_ended());
    }
}
