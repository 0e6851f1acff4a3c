//! The order of the stages, and what falls back to what. Knows every stage and no format.

use crate::check::{self, Policy};
use crate::doc::{Doc, OverBudget};
use crate::family::Run;
use crate::filters::outline;
use crate::gate::{self, Permission};
use crate::invocation::{Command, Plan, Target, plan};
use crate::marker;
use crate::options::{MIN_CHARACTERS, Options, SourceOutline};
use crate::registry;
use crate::rules;
use crate::signatures::Signatures;
use crate::text::terminal;
use std::borrow::Cow;

/// Hears what each stage did; the explainer writes it down, everyone else ignores it.
pub(crate) trait Listener {
    /// A stage ended with `text`; `note` says what it decided.
    fn stage(&mut self, name: &'static str, text: &str, note: &str);
}

/// A listener that does not listen.
pub(crate) struct Silent;

impl Listener for Silent {
    fn stage(&mut self, _name: &'static str, _text: &str, _note: &str) {}
}

/// Smallest capture cap a caller can set: below it nothing passes the gate anyway.
const MIN_CAPTURE_BYTES: usize = 1024;

/// Passes over a text until no repeat is left: one fold can make two blocks equal.
const MAX_REPEAT_PASSES: usize = 4;

/// Runs all stages; nothing where the original stands.
pub(crate) fn run(
    command: Command<'_>,
    output: &str,
    exit_code: i32,
    options: &Options,
    listener: &mut dyn Listener,
) -> Option<(String, String)> {
    let gated = admit(command, output, options);
    let (targets, only_logs) = match gated {
        Ok(admitted) => admitted,
        Err(reason) => {
            listener.stage("gate", output, reason);
            return None;
        }
    };
    listener.stage("gate", output, "admitted");
    let rendered = terminal::render(output);
    let changed = |text: String, filter: &str| {
        let text = fit_line_end(text, output);
        (text.len() < output.len()).then(|| (filter.to_owned(), text))
    };
    if rendered.trim().is_empty() {
        listener.stage("lossless", output, "nothing is left on the screen");
        return None;
    }
    if rendered.chars().take(MIN_CHARACTERS).count() < MIN_CHARACTERS {
        if only_logs {
            return None;
        }
        listener.stage("lossless", &rendered, "short once rendered");
        return changed(rendered.into_owned(), "lossless");
    }
    if only_logs && options.source_outline != SourceOutline::Off && !options.incomplete {
        let target = targets.first();
        if let Some(text) = target.and_then(|target| outline::outline(target, output, options)) {
            listener.stage("outline", &text, "source file");
            return changed(text, "outline");
        }
    }
    let content = targets.iter().any(registry::prints_content);
    // Content keeps its blanks and repeats: a changed blank is a fact of a diff.
    let mut lossless =
        if only_logs || content { Lossless::as_is(&rendered) } else { fold_repeats(&rendered) };
    listener.stage("lossless", &lossless.text, "control sequences, repeats, blank runs");
    if !options.lossless_only && !options.incomplete {
        let run = Run {
            target: if targets.len() == 1 { targets.first() } else { None },
            failed: exit_code != 0 || targets.len() > 1,
        };
        match stable(lossless.borrowed(), run, only_logs, options, listener) {
            Ok(Some((filter, text))) => return changed(text, &filter),
            Ok(None) => {}
            Err(OverBudget) => {
                listener.stage("families", output, "step budget exhausted");
                return None;
            }
        }
    }
    if only_logs { None } else { changed(lossless.text.into_owned(), "lossless") }
}

/// The targets that printed the text, or why it is left alone.
fn admit(
    command: Command<'_>,
    output: &str,
    options: &Options,
) -> Result<(Vec<Target>, bool), &'static str> {
    if output.len() < MIN_CHARACTERS || output.chars().take(MIN_CHARACTERS).count() < MIN_CHARACTERS
    {
        return Err("too-short");
    }
    if output.len() > options.max_capture_bytes.max(MIN_CAPTURE_BYTES) {
        return Err("too-large");
    }
    let targets = match plan(command) {
        Plan::Simple(target) => vec![target],
        Plan::List(targets) => targets,
        Plan::Opaque(reason) => return Err(reason),
    };
    let mut only_logs = false;
    for target in &targets {
        if !options.allows(&target.program) {
            return Err("not allowed");
        }
        match gate::by_command(target) {
            Permission::Nothing(reason) => return Err(reason),
            Permission::OnlyLogs if targets.len() > 1 => return Err("chain with a file"),
            Permission::OnlyLogs => only_logs = true,
            Permission::Everything => {}
        }
    }
    if marker::is_minimized(output) {
        return Err("minimized before");
    }
    if gate::is_machine_content(output) {
        return Err("machine content");
    }
    Ok((targets, only_logs))
}

/// A text out of the lossless core.
struct Lossless<'a> {
    text: Cow<'a, str>,
    /// Its lines, where they are known already: families need them again.
    lines: Option<Vec<&'a str>>,
}

impl<'a> Lossless<'a> {
    /// Content keeps its blanks and repeats.
    fn as_is(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), lines: None }
    }

    /// The same text for someone who uses up the lines.
    fn borrowed(&mut self) -> Lossless<'_> {
        Lossless { text: Cow::Borrowed(&self.text), lines: self.lines.take() }
    }
}

/// Folds exact repeats and blank runs until nothing is left to fold.
fn fold_repeats(text: &str) -> Lossless<'_> {
    if let Some(lines) = Doc::settled(text) {
        return Lossless { text: Cow::Borrowed(text), lines: Some(lines) };
    }
    let first = Doc::new(text).render(false);
    let mut text = first;
    for _ in 1..MAX_REPEAT_PASSES {
        let again = Doc::new(&text).render(false);
        if again == text {
            break;
        }
        text = again;
    }
    Lossless { text: Cow::Owned(text), lines: None }
}

/// A rewriting that would be rewritten again is not used: whoever minimizes twice must not see a third text.
fn stable(
    lossless: Lossless<'_>,
    run: Run<'_>,
    only_logs: bool,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Option<(String, String)>, OverBudget> {
    let text = lossless.text.clone();
    let Some((label, body)) = structural(lossless, run, only_logs, options, listener)? else {
        return Ok(None);
    };
    if !marker::is_minimized(&body) && body.chars().take(MIN_CHARACTERS).count() == MIN_CHARACTERS {
        let content = run.target.is_some_and(registry::prints_content);
        let lossless =
            if only_logs || content { Lossless::as_is(&body) } else { fold_repeats(&body) };
        if lossless.text.len() < body.len()
            || structural(lossless, run, only_logs, options, &mut Silent)?.is_some()
        {
            listener.stage("check", &text, "unstable");
            return Ok(None);
        }
    }
    Ok(Some((label, body)))
}

/// Lets rules and families mark the text, checks the result and adds the notice.
fn structural(
    lossless: Lossless<'_>,
    run: Run<'_>,
    only_logs: bool,
    options: &Options,
    listener: &mut dyn Listener,
) -> Result<Option<(String, String)>, OverBudget> {
    let alone = run.target.is_some_and(registry::prints_content);
    let text = &*lossless.text;
    let mut doc = match lossless.lines {
        _ if alone => Doc::verbatim(text),
        Some(lines) => Doc::of_settled(lines),
        None => Doc::new(text),
    };
    let mut names: Vec<&str> = Vec::new();
    let mut policy = Policy::STRICT;
    if only_logs {
        if !crate::filters::logs::is_log(&doc) {
            listener.stage("families", text, "a file that is read stays verbatim");
            return Ok(None);
        }
        let family = &crate::filters::logs::FAMILY;
        (family.mark)(&mut doc, &run)?;
        names.push(family.name);
        policy = family.policy;
    } else {
        let signatures = Signatures::of(text);
        let families = registry::select(run.target, &signatures);
        let user = rules::select(&options.rules, run.target, &signatures);
        for rule in &user {
            let before = doc.touched();
            rule.mark(&mut doc, &run)?;
            if doc.touched() > before {
                names.push(rule.name());
            }
        }
        for family in families {
            let before = doc.touched();
            (family.mark)(&mut doc, &run)?;
            if doc.touched() > before {
                names.push(family.name);
                policy = policy.and(family.policy);
            }
        }
        if !alone {
            for rule in rules::built_in(run.target, &signatures) {
                let before = doc.touched();
                rule.mark(&mut doc, &run)?;
                if doc.touched() > before {
                    names.push(rule.name());
                }
            }
        }
        if names.is_empty() {
            listener.stage("families", text, "no family knows this text");
            return Ok(None);
        }
        if !alone {
            doc.settle_repeats();
            doc.shorten_rules();
        }
    }
    let mut body = doc.render(true);
    let label = registry::label(&names).into_owned();
    listener.stage("families", &body, &label);
    if let Err(doubt) = check::verify(&doc, &body, policy) {
        listener.stage("check", text, &format!("{doubt:?}"));
        return Ok(None);
    }
    if let Some(notice) = doc.tally().notice(options.reference.as_deref()) {
        body.push_str(&notice);
        body.push('\n');
        if !check::gains(text.len(), body.len()) {
            listener.stage("check", text, &format!("{:?}", check::Doubt::NoGain));
            return Ok(None);
        }
    } else if body.len() >= text.len() {
        return Ok(None);
    }
    listener.stage("check", &body, "passed");
    Ok(Some((label, body)))
}

/// The original's last line end is the result's.
fn fit_line_end(mut text: String, original: &str) -> String {
    if !original.ends_with('\n') && text.ends_with('\n') {
        text.pop();
    }
    text
}
