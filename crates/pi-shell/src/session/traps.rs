//! Which traps a session may have that the driver's own doings would set off.
//!
//! An ERR trap runs for the `eval` that has a command once more, and a CHLD trap for the fork that leaves
//! a standby; `trap 'exit 5' CHLD` would end the shell there. What keeps them from it costs time, so it is
//! done only where a text was seen that may have set one. Pure text.

/// Traps that may be set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Traps {
    /// On ERR.
    pub(super) errors: bool,
    /// On CHLD.
    pub(super) children: bool,
}

impl Traps {
    /// Those that a text may set. One that comes from elsewhere (a sourced file) is not seen.
    pub(super) fn set_by(text: &[u8]) -> Self {
        let sets = memchr::memmem::find(text, b"trap").is_some();
        let has = |names: &[&[u8]]| sets && names.iter().any(|name| has_word(text, name));
        // The signal may be told by its number.
        Self { errors: has(&[b"err"]), children: has(&[b"chld", b"sigchld", b"17"]) }
    }

    /// Those that a saved state sets: it has what `trap -p` printed, and anything else besides.
    pub(super) fn set_by_state(text: &[u8]) -> Self {
        let ends = |names: &[&[u8]]| {
            text.split(|byte| *byte == b'\n')
                .any(|line| names.iter().any(|name| line.ends_with(name)))
        };
        // Without `SIG` in POSIX mode.
        Self { errors: ends(&[b"' ERR"]), children: ends(&[b"' SIGCHLD", b"' CHLD"]) }
    }

    /// These and those.
    pub(super) fn and(self, other: Self) -> Self {
        Self { errors: self.errors || other.errors, children: self.children || other.children }
    }
}

/// Whether `text` has `word` in whatever case, and not as a part of another one.
fn has_word(text: &[u8], word: &[u8]) -> bool {
    let is_part =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    text.windows(word.len()).enumerate().any(|(at, window)| {
        window.eq_ignore_ascii_case(word)
            && !is_part(at.checked_sub(1).and_then(|before| text.get(before)))
            && !is_part(text.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Traps = Traps { errors: false, children: false };

    #[test]
    fn traps_are_seen_by_name_and_number() {
        for (text, traps) in [
            ("trap 'echo failed' ERR", Traps { errors: true, ..NONE }),
            ("trap x err; trap y sigchld", Traps { errors: true, children: true }),
            ("trap 'exit 5' 17", Traps { children: true, ..NONE }),
            ("trap -- 'exit 5' SIGCHLD", Traps { children: true, ..NONE }),
        ] {
            assert_eq!(Traps::set_by(text.as_bytes()), traps, "{text}");
        }
    }

    #[test]
    fn other_texts_set_none() {
        for text in [
            "echo error 17",
            "kill -CHLD 1; return",
            "trap 'rm x' EXIT",
            "trap 'echo an error >/tmp/x17a2' EXIT; cd /tmp/1234175",
            "",
        ] {
            assert_eq!(Traps::set_by(text.as_bytes()), NONE, "{text}");
        }
    }
    #[test]
    fn a_state_sets_what_it_lists() {
        let text = "declare -- PPID=\"17\"\ntrap -- 'rm \nx' SIGTERM\ntrap 17 ERR\n";
        assert_eq!(Traps::set_by_state(text.as_bytes()), NONE);
        let text = "umask 0022\ntrap -- 'echo\nfailed' ERR\n";
        assert_eq!(Traps::set_by_state(text.as_bytes()), Traps { errors: true, ..NONE });
        for line in ["trap -- 'exit 5' SIGCHLD", "trap -- 'exit 5' CHLD"] {
            assert_eq!(Traps::set_by_state(line.as_bytes()), Traps { children: true, ..NONE });
        }
    }
}
