//! Shows what each stage did to an output, for people who wonder why a line is missing.

use crate::invocation::Command;
use crate::options::Options;
use crate::pipeline::{self, Listener};

/// What one stage did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// `gate`, `lossless`, `outline`, `families` or `check`.
    pub name: &'static str,
    /// Bytes of the text after the stage.
    pub bytes: usize,
    /// Lines of the text after the stage.
    pub lines: usize,
    /// What the stage decided: a family label, or the doubt of the check.
    pub note: String,
}

/// The stages a text went through, and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The stages in order.
    pub stages: Vec<Stage>,
    /// Label and text; nothing where the original stands.
    pub result: Option<(String, String)>,
}

impl Listener for Vec<Stage> {
    fn stage(&mut self, name: &'static str, text: &str, note: &str) {
        self.push(Stage {
            name,
            bytes: text.len(),
            lines: text.lines().count(),
            note: note.to_owned(),
        });
    }
}

/// Minimizes like [`minimize`](crate::minimize) and tells what happened. A panic of a filter is not
/// caught here: who asks for an explanation wants to see it.
pub fn explain(
    command: Command<'_>,
    output: &str,
    exit_code: i32,
    options: &Options,
) -> Explanation {
    let mut stages = Vec::new();
    let result = pipeline::run(command, output, exit_code, options, &mut stages);
    Explanation { stages, result }
}
