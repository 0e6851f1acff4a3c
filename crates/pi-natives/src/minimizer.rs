//! The minimizer: its options, and its use on a text that JavaScript has.

use napi_derive::napi;
use pi_minimizer::{Command, Invocation, Minimized, Options, SourceOutline};

use crate::text::{JsText, Text};

/// How an output may be rewritten.
#[napi(object, object_to_js = false)]
pub struct MinimizerRules {
    /// Programs (base names) to minimize; empty means all.
    pub only: Option<Vec<String>>,
    /// Programs never to minimize; wins over `only`.
    pub except: Option<Vec<String>>,
    /// Bytes of output above which nothing is minimized.
    pub max_capture_bytes: Option<u32>,
    /// Outline of source files that are read.
    #[napi(ts_type = "'default' | 'aggressive'")]
    pub source_outline: Option<String>,
    /// Only what loses nothing.
    pub lossless_only: Option<bool>,
    /// The output is cut, or the command was stopped.
    pub incomplete: Option<bool>,
    /// Where the original can be read.
    pub reference: Option<String>,
}

impl From<MinimizerRules> for Options {
    fn from(rules: MinimizerRules) -> Self {
        let default = Self::default();
        let capture = rules.max_capture_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        Self {
            only: rules.only.unwrap_or_default(),
            except: rules.except.unwrap_or_default(),
            max_capture_bytes: capture.unwrap_or(default.max_capture_bytes),
            source_outline: match rules.source_outline.as_deref() {
                None => SourceOutline::Off,
                Some("aggressive") => SourceOutline::Aggressive,
                Some(_) => SourceOutline::Default,
            },
            lossless_only: rules.lossless_only.unwrap_or_default(),
            incomplete: rules.incomplete.unwrap_or_default(),
            reference: rules.reference,
            rules: default.rules,
        }
    }
}

/// What produced an output.
#[napi(object, object_to_js = false)]
pub struct MinimizedCommand {
    /// The command line as it was typed. Ignored where `argv` is given.
    pub command: String,
    /// The program and its arguments, from a real parser.
    pub argv: Option<Vec<String>>,
    /// How the command ended.
    pub exit_code: i32,
}

/// A rewritten output.
#[napi(object, object_from_js = false)]
pub struct MinimizedText {
    /// What worked on it.
    pub filter: String,
    /// The text for the model.
    #[napi(ts_type = "string")]
    pub text: JsText,
    /// The text as it was, where JavaScript does not have it.
    #[napi(ts_type = "string")]
    pub original_text: Option<JsText>,
    /// Bytes of the original as UTF-8.
    pub input_bytes: u32,
    /// Bytes of `text` as UTF-8.
    pub output_bytes: u32,
}

impl MinimizedText {
    pub(crate) fn new(minimized: Minimized, original: Option<String>) -> Self {
        // V8 has no strings of 4 GiB.
        let bytes = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Self {
            filter: minimized.filter,
            text: Text::from(minimized.text).into(),
            original_text: original.map(|text| Text::from(text).into()),
            input_bytes: bytes(minimized.input_bytes),
            output_bytes: bytes(minimized.output_bytes),
        }
    }
}

/// Minimizes `output`; null where the original is to be used as it is.
#[napi(catch_unwind)]
pub fn minimize(
    ran: MinimizedCommand,
    output: String,
    rules: MinimizerRules,
) -> Option<MinimizedText> {
    let invocation = ran.argv.map(|argv| Invocation { argv });
    let command = invocation.as_ref().map_or(Command::Text(&ran.command), Command::Invocation);
    let minimized = pi_minimizer::minimize(command, &output, ran.exit_code, &rules.into())?;
    Some(MinimizedText::new(minimized, None))
}
