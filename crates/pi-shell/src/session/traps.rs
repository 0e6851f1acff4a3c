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
        let has =
            |word: &[u8]| text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word));
        let sets = memchr::memmem::find(text, b"trap").is_some();
        // The signal may be told by its number.
        Self { errors: sets && has(b"err"), children: sets && (has(b"chld") || has(b"17")) }
    }

    /// These and those.
    pub(super) fn and(self, other: Self) -> Self {
        Self { errors: self.errors || other.errors, children: self.children || other.children }
    }
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
        for text in ["echo error 17", "kill -CHLD 1; return", "trap 'rm x' EXIT", ""] {
            assert_eq!(Traps::set_by(text.as_bytes()), NONE, "{text}");
        }
    }
}
