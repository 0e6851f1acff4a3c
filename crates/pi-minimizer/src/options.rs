//! What a caller may choose, and the limits that hold where nothing is chosen.

use crate::rules::Rules;
use std::sync::Arc;

/// Bytes of output above which nothing is minimized unless the caller says otherwise: 4 MiB, as upstream.
pub const DEFAULT_MAX_CAPTURE_BYTES: usize = 4 * 1024 * 1024;

/// Characters below which an output stays as it is: a short text costs less than the doubt about it.
pub const MIN_CHARACTERS: usize = 1_000;

/// Whether a source file that is read comes back as an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceOutline {
    /// Source files stay verbatim, because edits depend on every character.
    #[default]
    Off,
    /// Bodies of functions longer than eight lines are left out.
    Default,
    /// All bodies are left out.
    Aggressive,
}

/// Options of one call; `Options::default()` minimizes everything the built-in families know.
#[derive(Debug, Clone)]
pub struct Options {
    /// Programs (base names) to minimize; empty means all.
    pub only: Vec<String>,
    /// Programs never to minimize; wins over `only`.
    pub except: Vec<String>,
    /// Bytes of output above which the raw text is passed on. Default 4 MiB; values below 1 KiB count as 1 KiB.
    pub max_capture_bytes: usize,
    /// Outline of source files read by `cat` and its like. Default off.
    pub source_outline: SourceOutline,
    /// Only the lossless stages: control sequences, carriage returns, repeats, blank runs. Default false.
    pub lossless_only: bool,
    /// The capture is cut, or the command was stopped: only lossless stages, as a summary would lie. Default false.
    pub incomplete: bool,
    /// Where the original can be read, for the notice, e.g. `artifact://12`. Default none.
    pub reference: Option<String>,
    /// Rule sets that go before the built-in ones, the most important first. Parsing is the caller's
    /// trust decision; see [`Rules::parse`].
    pub rules: Vec<Arc<Rules>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            only: Vec::new(),
            except: Vec::new(),
            max_capture_bytes: DEFAULT_MAX_CAPTURE_BYTES,
            source_outline: SourceOutline::Off,
            lossless_only: false,
            incomplete: false,
            reference: None,
            rules: Vec::new(),
        }
    }
}

impl Options {
    /// True where the program may be minimized; names compare in lower case.
    pub(crate) fn allows(&self, program: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|name| name.eq_ignore_ascii_case(program));
        !named(&self.except) && (self.only.is_empty() || named(&self.only))
    }
}
