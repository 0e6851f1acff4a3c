//! Text of bash that every kind of session says: quoted words.

use std::fmt::Write as _;
use std::path::Path;

/// `text` as one word of bash, on one line, that expands to exactly these bytes.
///
/// On one line, since bash numbers a command by the line on which its last word ends: lines inside
/// of a word would be counted twice.
pub(crate) fn quote(text: &str) -> String {
    if text.contains('\n') {
        let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
        return format!("$'{escaped}'");
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for piece in text.split_inclusive('\'') {
        match piece.strip_suffix('\'') {
            Some(before) => {
                quoted.push_str(before);
                quoted.push_str("'\\''");
            }
            None => quoted.push_str(piece),
        }
    }
    quoted.push('\'');
    quoted
}

/// A path as one word of bash, also one that is no text: its bytes are written as escapes then.
pub(crate) fn quote_path(path: &Path) -> String {
    if let Some(text) = path.to_str() {
        return quote(text);
    }
    let mut quoted = String::from("$'");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
            quoted.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _infallible = write!(quoted, "\\x{byte:02x}");
        }
    }
    quoted.push('\'');
    quoted
}

/// What bash makes of `OLDPWD` when it begins: exported, without a value. A `cd` of our own gave it one.
pub(crate) const UNSET_OLDPWD: &str = "\\builtin unset OLDPWD;\\builtin export OLDPWD";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoting_survives_quotes() {
        assert_eq!(quote("a'b"), "'a'\\''b'");
        assert_eq!(quote(""), "''");
        assert_eq!(quote("'"), "''\\'''");
        assert_eq!(quote("a\n'\\b"), "$'a\\n\\'\\\\b'");
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_is_quoted_byte_by_byte() {
        use std::os::unix::ffi::OsStrExt as _;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/a b\xff'"));

        assert_eq!(quote_path(path), "$'/a\\x20b\\xff\\x27'");
        assert_eq!(quote_path(Path::new("/a b")), "'/a b'");
    }
}
