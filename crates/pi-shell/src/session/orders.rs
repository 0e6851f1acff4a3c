//! Files that orders and commands go through where they do not fit a message.

use std::io;
use std::path::PathBuf;

use super::private_dir::PrivateDir;
use super::protocol;

/// A text that fits a message and has `text` run, with the file it goes through, if any.
pub(super) fn order_text(
    folder: &PrivateDir,
    serial: u64,
    text: &str,
) -> io::Result<(String, Option<PathBuf>)> {
    if protocol::fits_message(text) {
        return Ok((text.to_owned(), None));
    }
    let file = folder.write(&format!("c{serial}"), text.as_bytes())?;
    Ok((protocol::indirect_text(&file), Some(file)))
}

/// The file for a command that does not fit its order, and none for one that does.
pub(super) fn command_file(
    folder: &PrivateDir,
    serial: u64,
    command: &str,
) -> io::Result<Option<PathBuf>> {
    if protocol::fits_order(command) {
        return Ok(None);
    }
    folder.write(&format!("t{serial}"), command.as_bytes()).map(Some)
}

/// Removes an order's files. One that is left goes with the folder.
pub(super) fn remove(files: impl IntoIterator<Item = PathBuf>) {
    for file in files {
        drop(std::fs::remove_file(file));
    }
}
