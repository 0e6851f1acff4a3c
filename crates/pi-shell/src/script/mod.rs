//! Text of bash that every kind of session says: quoted words, and the state of a shell.

#[cfg(unix)]
mod saved_state;

use std::fmt::Write as _;
use std::path::Path;

#[cfg(unix)]
pub(crate) use self::saved_state::SavedState;

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

/// The script that prints the shell's state as bash text; the first and last line are marks. No
/// reserved word stands in it: a user's alias may have its name.
#[cfg(unix)]
pub(crate) const DUMP_SCRIPT: &str = concat!(
    "\\builtin printf '#%s\\n' \"${FUNCNAME[*]}\"\n",
    "\\builtin printf '\\\\builtin cd -- %q\\n' \"${PWD-}\"\n",
    // With its attributes, which a new bash's own may differ from.
    "\\builtin printf '\\\\builtin unset OLDPWD;'\n",
    "\\builtin test \"${OLDPWD+_}\" && \\builtin printf '\\\\builtin eval %q;' \"${OLDPWD@A}\"\n",
    "\\builtin printf '\\\\builtin set --'\n",
    "((${#DIRSTACK[@]} > 1)) && \\builtin printf ' %q' \"${DIRSTACK[@]:1}\"\n",
    "\\builtin printf '\\n\\\\builtin set --'\n",
    "(($#)) && \\builtin printf ' %q' \"$@\"\n",
    "\\builtin printf '\\n'\n",
    "\\builtin shopt -p\n",
    "\\builtin shopt -po\n",
    "\\builtin printf '#pi-state\\n'\n",
    "\\builtin umask -p\n",
    // A new bash has one.
    "\\builtin test \"${IFS+_}\" || \\builtin printf '\\\\builtin unset IFS\\n'\n",
    "\\builtin declare -p\n",
    "\\builtin declare -f\n",
    "\\builtin declare -Fx\n",
    "\\builtin alias -p\n",
    "\\builtin trap -p HUP INT QUIT USR1 USR2 PIPE ALRM TERM CHLD CONT WINCH ERR RETURN\n",
    // What a standby was told of traps.
    "\\builtin printf '%s\\n' \"${__pi_s-}\"\n",
    "\\builtin printf '#pi-limits\\n'\n",
    "\\builtin ulimit -Sa\n",
    "\\builtin printf '#pi-end\\n'\n",
);

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
