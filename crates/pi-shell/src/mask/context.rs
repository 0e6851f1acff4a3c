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
