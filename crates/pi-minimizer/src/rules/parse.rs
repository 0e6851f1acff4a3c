//! Reads a rule file. Unknown keys, kinds and versions are refused: a rule that is half understood
//! would remove more than its author meant.

use super::{Drop, Rule, Section, When};
use crate::marker::Kind;
use regex::{Regex, RegexSet, RegexSetBuilder};
use serde::Deserialize;

/// The only version of the schema there is.
const SCHEMA: u32 = 1;

/// Bytes a compiled pattern set may take: far more than any tool needs, far less than a host would miss.
const PATTERN_BYTES: usize = 4 * 1024 * 1024;

/// Why a rule file is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// Not TOML, or a key we do not know.
    #[error("rule file is not valid")]
    Syntax(#[from] toml::de::Error),
    /// Written for another version.
    #[error("rule schema `{0}` is unknown, expected `1`")]
    Schema(u32),
    /// A pattern does not compile.
    #[error("pattern of rule `{rule}` is not valid")]
    Pattern {
        /// Name of the rule.
        rule: String,
        /// What the pattern compiler says.
        #[source]
        source: regex::Error,
    },
    /// A kind the notice has no words for.
    #[error("kind `{kind}` of rule `{rule}` is unknown")]
    Kind {
        /// Name of the rule.
        rule: String,
        /// The unknown words.
        kind: String,
    },
    /// A rule that nothing leads to.
    #[error("rule `{0}` names neither a program nor a signature")]
    Unreachable(String),
    /// An inline test does not hold.
    #[error("test `{test}` of rule `{rule}`: {problem}")]
    Test {
        /// Name of the rule.
        rule: String,
        /// Name of the test.
        test: String,
        /// What was expected and is not so.
        problem: String,
    },
}

/// A parsed rule file.
#[derive(Debug, Clone)]
pub struct Rules {
    pub(crate) rules: Vec<Rule>,
    pub(crate) tests: Vec<(String, Test)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: u32,
    rule: Vec<RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    name: String,
    #[serde(default)]
    programs: Vec<String>,
    #[serde(default)]
    subcommands: Vec<String>,
    #[serde(default)]
    signature: Vec<String>,
    #[serde(default)]
    keep: Vec<String>,
    #[serde(default)]
    drop: Vec<RawDrop>,
    #[serde(default)]
    section: Vec<RawSection>,
    #[serde(default)]
    once: bool,
    #[serde(default)]
    test: Vec<Test>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDrop {
    kind: Option<String>,
    lines: Vec<String>,
    #[serde(default)]
    exit: Exit,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSection {
    kind: Option<String>,
    start: String,
    end: String,
    #[serde(default)]
    exit: Exit,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Exit {
    #[default]
    Any,
    Zero,
    Nonzero,
}

/// An inline test of a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Test {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) exit: i32,
    pub(crate) input: String,
    /// The whole result without the notice.
    pub(crate) expected: Option<String>,
    /// Parts that must survive.
    #[serde(default)]
    pub(crate) facts: Vec<String>,
    /// Parts that must be gone.
    #[serde(default)]
    pub(crate) gone: Vec<String>,
}

impl Rules {
    /// Compiles the text of a rule file. Whether its author is trusted is for the caller to know: a
    /// project's file counts only after its SHA-256 was approved by the user.
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let file: File = toml::from_str(text)?;
        if file.schema != SCHEMA {
            return Err(RuleError::Schema(file.schema));
        }
        let mut rules = Vec::new();
        let mut tests = Vec::new();
        for mut raw in file.rule {
            tests.extend(
                std::mem::take(&mut raw.test).into_iter().map(|test| (raw.name.clone(), test)),
            );
            rules.push(compile(raw)?);
        }
        Ok(Self { rules, tests })
    }
}

fn compile(raw: RawRule) -> Result<Rule, RuleError> {
    if raw.programs.is_empty() && raw.signature.is_empty() {
        return Err(RuleError::Unreachable(raw.name));
    }
    let name = raw.name.as_str();
    let mut drops: Vec<(Vec<&str>, Drop)> = Vec::new();
    for drop in &raw.drop {
        let action = action(name, drop.kind.as_deref(), drop.exit)?;
        let lines = drop.lines.iter().map(String::as_str);
        match drops.last_mut() {
            Some((patterns, last)) if *last == action => patterns.extend(lines),
            _ => drops.push((lines.collect(), action)),
        }
    }
    let sections = raw
        .section
        .iter()
        .map(|section| {
            Ok(Section {
                start: pattern(name, &section.start)?,
                end: pattern(name, &section.end)?,
                action: action(name, section.kind.as_deref(), section.exit)?,
            })
        })
        .collect::<Result<_, RuleError>>()?;
    Ok(Rule {
        keep: pattern_set(name, &raw.keep)?,
        drop: drops
            .into_iter()
            .map(|(patterns, action)| Ok((pattern_set(name, &patterns)?, action)))
            .collect::<Result<_, RuleError>>()?,
        name: raw.name,
        programs: raw.programs,
        subcommands: raw.subcommands,
        signature: raw.signature,
        sections,
        once: raw.once,
    })
}

fn action(rule: &str, kind: Option<&str>, exit: Exit) -> Result<Drop, RuleError> {
    let kind = match kind {
        None => Kind::Line,
        Some(words) => Kind::from_name(words)
            .ok_or_else(|| RuleError::Kind { rule: rule.to_owned(), kind: words.to_owned() })?,
    };
    let when = match exit {
        Exit::Any => When::Always,
        Exit::Zero => When::Succeeded,
        Exit::Nonzero => When::Failed,
    };
    Ok(Drop { kind, when })
}

fn pattern(rule: &str, text: &str) -> Result<Regex, RuleError> {
    Regex::new(text).map_err(|source| RuleError::Pattern { rule: rule.to_owned(), source })
}

fn pattern_set<T: AsRef<str>>(rule: &str, patterns: &[T]) -> Result<RegexSet, RuleError> {
    RegexSetBuilder::new(patterns)
        .size_limit(PATTERN_BYTES)
        .build()
        .map_err(|source| RuleError::Pattern { rule: rule.to_owned(), source })
}
