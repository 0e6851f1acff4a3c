//! The minimizer: its options, and its use on a text that JavaScript has.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Task};
use napi_derive::napi;
use pi_minimizer::{Command, Invocation, Minimized, Options, SourceOutline};
use pi_shell::ShellError;

use crate::error::{ThrownError, thrown};
use crate::rule_files;
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
    /// Texts of rule files, the most important first; they go before the built-in ones.
    pub rule_files: Option<Vec<String>>,
}

impl TryFrom<MinimizerRules> for Options {
    type Error = ShellError;

    fn try_from(rules: MinimizerRules) -> Result<Self, ShellError> {
        let default = Self::default();
        let capture = rules.max_capture_bytes.and_then(|bytes| usize::try_from(bytes).ok());
        let files = rules.rule_files.unwrap_or_default();
        Ok(Self {
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
            rules: files.iter().map(|text| rule_files::parsed(text)).collect::<Result<_, _>>()?,
        })
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

impl MinimizedCommand {
    /// Hands `work` the command in the core's form.
    fn with<T>(&self, work: impl FnOnce(Command<'_>) -> T) -> T {
        let invocation = self.argv.clone().map(|argv| Invocation { argv });
        work(invocation.as_ref().map_or(Command::Text(&self.command), Command::Invocation))
    }
}

/// Minimizes `output`; null where the original is to be used as it is.
#[napi(catch_unwind)]
pub fn minimize(
    ran: MinimizedCommand,
    output: String,
    rules: MinimizerRules,
) -> Result<Option<MinimizedText>, ThrownError> {
    let work = Minimizing { ran, output, options: rules.try_into().map_err(thrown)? };
    Ok(work.minimized().map(|minimized| MinimizedText::new(minimized, None)))
}

/// Like `minimize`, on a thread of the pool: up to a tenth of a second of computing.
#[napi(catch_unwind, ts_return_type = "Promise<MinimizedText | null>")]
pub fn minimize_later(
    ran: MinimizedCommand,
    output: String,
    rules: MinimizerRules,
) -> Result<AsyncTask<Minimizing>, ThrownError> {
    let options = rules.try_into().map_err(thrown)?;
    Ok(AsyncTask::new(Minimizing { ran, output, options }))
}

/// One text on its way through the minimizer.
pub struct Minimizing {
    ran: MinimizedCommand,
    output: String,
    options: Options,
}

impl Minimizing {
    fn minimized(&self) -> Option<Minimized> {
        let Self { ran, output, options } = self;
        ran.with(|command| pi_minimizer::minimize(command, output, ran.exit_code, options))
    }
}

impl Task for Minimizing {
    type Output = Option<Minimized>;
    type JsValue = Option<MinimizedText>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(self.minimized())
    }

    fn resolve(&mut self, _env: Env, output: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(output.map(|minimized| MinimizedText::new(minimized, None)))
    }
}

/// What one stage of the minimizer did to a text.
#[napi(object, object_from_js = false)]
pub struct MinimizerStage {
    /// `gate`, `lossless`, `outline`, `families` or `check`.
    pub name: String,
    /// Bytes of the text after the stage, as UTF-8.
    pub bytes: u32,
    /// Lines of the text after the stage.
    pub lines: u32,
    /// What the stage decided: families that worked on it, or why the text before it stands.
    pub note: String,
}

/// The stages a text went through, and its result.
#[napi(object, object_from_js = false)]
pub struct MinimizerExplanation {
    /// The stages in order.
    pub stages: Vec<MinimizerStage>,
    /// The rewritten text; absent where the original stands.
    pub minimized: Option<MinimizedText>,
}

/// Minimizes `output` and tells what each stage did. A panic of a filter is thrown.
#[napi(catch_unwind)]
pub fn explain_minimizer(
    ran: MinimizedCommand,
    output: String,
    rules: MinimizerRules,
) -> Result<MinimizerExplanation, ThrownError> {
    let options = rules.try_into().map_err(thrown)?;
    let explanation =
        ran.with(|command| pi_minimizer::explain(command, &output, ran.exit_code, &options));
    let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    let stages = explanation.stages.into_iter().map(|stage| MinimizerStage {
        name: stage.name.to_owned(),
        bytes: small(stage.bytes),
        lines: small(stage.lines),
        note: stage.note,
    });
    let minimized = explanation.result.map(|(filter, text)| {
        let sizes = (output.len(), text.len());
        MinimizedText::new(
            Minimized { filter, text, input_bytes: sizes.0, output_bytes: sizes.1 },
            None,
        )
    });
    Ok(MinimizerExplanation { stages: stages.collect(), minimized })
}

/// How many rules and inline tests a rule file has.
#[napi(object, object_from_js = false)]
pub struct VerifiedRules {
    /// Rules in the file.
    pub rules: u32,
    /// Inline tests, all of which hold.
    pub tests: u32,
}

/// Runs the inline tests of the rule file `text`, or those of the built-in rules where it is absent.
/// Throws what is wrong.
#[napi(catch_unwind)]
pub fn verify_minimizer_rules(text: Option<String>) -> Result<VerifiedRules, ThrownError> {
    let verified = rule_files::verified(text.as_deref()).map_err(thrown)?;
    let small = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Ok(VerifiedRules { rules: small(verified.rules), tests: small(verified.tests) })
}
