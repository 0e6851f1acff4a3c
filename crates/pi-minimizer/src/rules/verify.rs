//! Runs the inline tests of a rule file, as `pi-bash minimize --verify` and the crate's own tests do.

use super::parse::{RuleError, Rules, Test};
use super::{EMBEDDED, Rule};
use crate::check::{self, Policy};
use crate::doc::Doc;
use crate::family::Run;

/// How many rules and tests held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verified {
    /// Rules in the file.
    pub rules: usize,
    /// Inline tests, all of which hold.
    pub tests: usize,
}

/// Runs the inline tests of all rules that come with the crate.
pub fn verify_built_in_rules() -> Result<Verified, RuleError> {
    let mut all = Verified { rules: 0, tests: 0 };
    for (_, text) in EMBEDDED {
        let file = verify_rules(text)?;
        all.rules += file.rules;
        all.tests += file.tests;
    }
    Ok(all)
}

/// Parses a rule file and runs its inline tests.
pub fn verify_rules(text: &str) -> Result<Verified, RuleError> {
    let rules = Rules::parse(text)?;
    for (name, test) in &rules.tests {
        let rule = rules.rules.iter().find(|rule| rule.name == *name);
        rule.map_or(Ok(()), |rule| run(rule, test)).map_err(|problem| RuleError::Test {
            rule: name.clone(),
            test: test.name.clone(),
            problem,
        })?;
    }
    Ok(Verified { rules: rules.rules.len(), tests: rules.tests.len() })
}

fn run(rule: &Rule, test: &Test) -> Result<(), String> {
    let mut doc = Doc::new(&test.input);
    let run = Run { target: None, failed: test.exit != 0 };
    rule.mark(&mut doc, &run).map_err(|_| "over the step budget".to_owned())?;
    let result = doc.render(true);
    check::verify(&doc, &result, Policy::STRICT)
        .map_err(|doubt| format!("the check refuses the result: {doubt:?}"))?;
    if let Some(expected) = &test.expected
        && expected.trim() != result.trim()
    {
        return Err(format!("expected\n{expected}\nbut the result is\n{result}"));
    }
    if let Some(fact) = test.facts.iter().find(|fact| !result.contains(fact.as_str())) {
        return Err(format!("`{fact}` is lost in\n{result}"));
    }
    match test.gone.iter().find(|part| result.contains(part.as_str())) {
        Some(part) => Err(format!("`{part}` is still in\n{result}")),
        None => Ok(()),
    }
}
