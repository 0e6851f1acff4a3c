//! What stands before a token, and whether the token stands alone there.

use super::shapes::Shape;

/// Bytes before a token that are looked at. The longest colour of a terminal is shorter.
const CONTEXT_BYTES: usize = 32;

/// The last bytes that were given out.
#[derive(Clone, Default)]
pub(super) struct Context(Vec<u8>);

impl Context {
    /// Adds what was given out.
    pub(super) fn add(&mut self, given: &[u8]) {
        let newest = last(given);
        let excess = (self.0.len() + newest.len()).saturating_sub(CONTEXT_BYTES);
        self.0.drain(..excess.min(self.0.len()));
        self.0.extend_from_slice(newest);
    }

    /// Whether a token of this shape may stand behind `before`, which follows the context: it is not the end of
    /// something longer.
    pub(super) fn allows(&self, shape: &Shape, before: &[u8]) -> bool {
        let near = last(before);
        if near.last().is_some_and(|byte| shape.may_follow(*byte)) {
            return true;
        }
        let mut all = if near.len() < CONTEXT_BYTES { self.0.clone() } else { Vec::new() };
        all.extend_from_slice(near);
        all.last().is_none_or(|byte| shape.may_follow(*byte)) || ends_in_escape(&all)
    }
}

fn last(bytes: &[u8]) -> &[u8] {
    bytes.get(bytes.len().saturating_sub(CONTEXT_BYTES)..).unwrap_or_default()
}

/// Whether `before` ends in what stands for something else than its letters: a colour, a line's end in source code, an
/// encoded character.
fn ends_in_escape(before: &[u8]) -> bool {
    if let [.., b'\\', b'n' | b'r' | b't'] = before {
        return true;
    }
    if let [.., b'%', first, second] = before
        && first.is_ascii_hexdigit()
        && second.is_ascii_hexdigit()
    {
        return true;
    }
    let Some(escape) = memchr::memrchr(0x1b, before) else { return false };
    match before.get(escape + 1..) {
        Some([b'[', parameters @ .., b'm' | b'K']) => {
            parameters.iter().all(|byte| (b'0'..=b'?').contains(byte))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_are_kept_however_they_came() {
        let bytes: Vec<u8> = (0..100).collect();
        for step in [1, 7, CONTEXT_BYTES, CONTEXT_BYTES + 1, 100] {
            let mut context = Context::default();
            bytes.chunks(step).for_each(|given| context.add(given));
            assert_eq!(context.0, bytes[100 - CONTEXT_BYTES..], "{step}");
        }
    }

    #[test]
    fn what_stands_for_something_else_than_its_letters_is_an_escape() {
        for (before, is_one) in [
            ("a\\n", true),
            ("a\\r", true),
            ("\\t", true),
            ("a\\x", false),
            ("n", false),
            ("x%3D", true),
            ("x%3G", false),
            ("x%G3", false),
            ("x3D", false),
            ("\x1b[31m", true),
            ("\x1b[01;31m\x1b[K", true),
            ("\x1b[m", true),
            ("\x1b[31x", false),
            ("\x1b[a1m", false),
            ("\x1b31m", false),
            ("31m", false),
            ("", false),
        ] {
            assert_eq!(ends_in_escape(before.as_bytes()), is_one, "{before:?}");
        }
    }

    #[test]
    fn a_token_may_stand_behind_what_was_given_out_where_it_stands_alone() {
        let shape = super::super::shapes::SHAPES.iter().find(|one| one.prefix == b"ghp_").unwrap();
        for (given, before, may) in [
            ("", "", true),
            ("", "=", true),
            ("", "x", false),
            ("x", "", false),
            ("=", "", true),
            ("\\", "n", true),
            ("%3", "D", true),
            ("\x1b[31", "m", true),
            ("x", "y", false),
        ] {
            let mut context = Context::default();
            context.add(given.as_bytes());
            assert_eq!(context.allows(shape, before.as_bytes()), may, "{given:?}, {before:?}");
        }
        let mut context = Context::default();
        context.add(b"\x1b[");
        let long = [vec![b'1'; CONTEXT_BYTES - 1], b"m".to_vec()].concat();
        assert!(!context.allows(shape, &long), "so long a colour is none");
    }
}
