//! Declarative rules: one TOML file a tool, for the long tail that needs no code.
//!
//! A rule names programs or words of the text, patterns of lines that may go, and patterns that must
//! stay. It cannot run a program, read a file, rewrite a line or answer with a message: what a rule
//! can do wrong is bounded by what it can say, and the check looks at its results like at any other.

mod parse;
mod verify;

pub use parse::{RuleError, Rules};
pub use verify::{Verified, verify_built_in_rules, verify_rules};

use crate::doc::{Doc, OverBudget};
use crate::family::Run;
use crate::invocation::Target;
use crate::marker::Kind;
use crate::signatures::Signatures;
use regex::{Regex, RegexSet};
use std::sync::{Arc, LazyLock};

/// The files of `rules/`, by name.
pub(crate) const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/rules.rs"));

static BUILT_IN: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // A file that does not parse is skipped here and fails the crate's own test.
    EMBEDDED
        .iter()
        .filter_map(|(_, text)| Rules::parse(text).ok())
        .flat_map(|rules| rules.rules)
        .collect()
});

/// When an action applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Always,
    Succeeded,
    Failed,
}

/// What happens to lines that match a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drop {
    pub(crate) kind: Kind,
    pub(crate) when: When,
}

/// Lines from one pattern up to another.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    pub(crate) start: Regex,
    /// The first line that does not belong to the section.
    pub(crate) end: Regex,
    pub(crate) action: Drop,
}

/// One compiled rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) programs: Vec<String>,
    pub(crate) subcommands: Vec<String>,
    pub(crate) signature: Vec<String>,
    pub(crate) keep: RegexSet,
    /// Patterns in their order, those in a row with one action in one set: the first set that knows a line has it.
    pub(crate) drop: Vec<(RegexSet, Drop)>,
    pub(crate) sections: Vec<Section>,
    pub(crate) once: bool,
}

/// Rules of the caller that apply, the most important set first.
pub(crate) fn select<'a>(
    sets: &'a [Arc<Rules>],
    target: Option<&Target>,
    signatures: &Signatures<'_>,
) -> Vec<&'a Rule> {
    sets.iter().flat_map(|set| &set.rules).filter(|rule| rule.applies(target, signatures)).collect()
}

/// Built-in rules that apply.
pub(crate) fn built_in(target: Option<&Target>, signatures: &Signatures<'_>) -> Vec<&'static Rule> {
    BUILT_IN.iter().filter(|rule| rule.applies(target, signatures)).collect()
}

impl Rule {
    /// Name in the result's label.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn applies(&self, target: Option<&Target>, signatures: &Signatures<'_>) -> bool {
        let named = target.is_some_and(|target| {
            self.programs.contains(&target.program)
                && (self.subcommands.is_empty()
                    || self.subcommands.iter().any(|sub| sub == target.subcommand()))
        });
        named || self.signature.iter().any(|word| signatures.has(word))
    }

    /// Marks the lines the rule knows.
    pub(crate) fn mark(&self, doc: &mut Doc<'_>, run: &Run<'_>) -> Result<(), OverBudget> {
        doc.spend(doc.len())?;
        let mut open: Option<&Section> = None;
        let mut seen: crate::text::words::FixedSet<u64> = crate::text::words::FixedSet::default();
        for at in 0..doc.len() {
            if !doc.is_kept(at) {
                continue;
            }
            let line = doc.line(at);
            if open.is_some_and(|section| section.end.is_match(line)) {
                open = None;
            }
            let section = open.or_else(|| {
                self.sections
                    .iter()
                    .find(|section| section.action.applies(run) && section.start.is_match(line))
            });
            let action = section.map(|section| &section.action).or_else(|| {
                let knows = |(patterns, action): &&(RegexSet, Drop)| {
                    action.applies(run) && patterns.is_match(line)
                };
                self.drop.iter().find(knows).map(|(_, action)| action)
            });
            // Asked last, and only of lines that would go: most lines are not known at all.
            if action.is_none() && !self.once || self.keep.is_match(line) {
                continue;
            }
            open = section;
            if let Some(action) = action {
                doc.drop_line(at, action.kind);
            } else if !line.is_empty() && !seen.insert(crate::text::words::hash(line)) {
                doc.drop_line(at, Kind::Repeat);
            }
        }
        Ok(())
    }
}

impl Drop {
    fn applies(&self, run: &Run<'_>) -> bool {
        match self.when {
            When::Always => true,
            When::Succeeded => !run.failed,
            When::Failed => run.failed,
        }
    }
}
