//! Files that near sends: taken in order, bounded by the size that was named, checked by digest, then put in place.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc;

use super::Engine;
use super::tasks::blocking;
use crate::message::Failure;
use crate::place::Upload;
use crate::wire::{Kind, frame_at};

/// Most bytes of a file.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Most files that are on their way at a time: what near sends waits for the disk in memory.
const MAX_PUTS: usize = 4;

/// Longest silence between two pieces.
const PIECE_BOUND: Duration = Duration::from_secs(60);

/// Where the pieces of a file go.
pub(super) struct Inbox {
    pieces: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes that came, and how many are to come.
    progress: Mutex<(u64, u64)>,
}

impl Inbox {
    /// Takes a piece. One that does not follow the one before, or is too much, ends the upload by an empty one.
    pub(super) fn take(&self, offset: u64, bytes: &[u8]) {
        let Ok(mut progress) = self.progress.lock() else { return };
        let (came, size) = *progress;
        let after = came.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let follows = offset == came && after <= size && !bytes.is_empty();
        progress.0 = if follows { after } else { u64::MAX };
        drop(progress);
        let piece = if follows { bytes.to_vec() } else { Vec::new() };
        // Without a reader the upload has ended already.
        drop(self.pieces.send(piece));
    }
}

impl Engine {
    /// Puts a file in place. Asks near for it where it is not there.
    pub(super) async fn put(
        &self,
        link: u64,
        channel: u32,
        (digest, size, name): (String, u64, String),
    ) -> Result<serde_json::Value, Failure> {
        if size > MAX_BYTES {
            let message = format!("`{name}` has {size} bytes; a file has at most {MAX_BYTES}");
            return Err(Failure::new("PI_HOST_FILE", message));
        }
        let place = self.place().clone();
        let begun = blocking(move || place.begin_upload(&digest, size, &name)).await?;
        let mut upload = match begun {
            Upload::There(path) => return Ok(serde_json::json!({ "path": path })),
            Upload::Missing(upload) => upload,
        };
        if self.inner.channels.puts() >= MAX_PUTS {
            return Err(Failure::new("PI_HOST_BUSY", "too many files at a time; try again later"));
        }
        let (pieces, mut arriving) = mpsc::unbounded_channel();
        let progress = Mutex::new((0, size));
        let inbox = Arc::new(Inbox { pieces, progress });
        if !self.inner.channels.become_put(link, channel, inbox) {
            return Err(Failure::new("PI_HOST_FILE", "the link was cut before the file was sent"));
        }
        self.outgoing().put_control(Some(link), frame_at(Kind::Data, channel, 0, &[]));
        let mut came = 0;
        while came < size {
            let piece = tokio::time::timeout(PIECE_BOUND, arriving.recv()).await.map_err(|_| {
                Failure::new("PI_HOST_TIMEOUT", "the rest of the file did not come")
            })?;
            let piece = piece.unwrap_or_default();
            if piece.is_empty() {
                let message = "a piece of the file does not follow the one before, or is too much";
                return Err(Failure::invalid(message));
            }
            came += u64::try_from(piece.len()).unwrap_or(u64::MAX);
            upload = blocking(move || upload.write(&piece)).await?;
        }
        let path = blocking(move || upload.finish()).await?;
        Ok(serde_json::json!({ "path": path }))
    }
}
