//! Rule files of a host, compiled once.
//!
//! The same few files come with every text; compiling one takes longer than minimizing a screen. What
//! is kept is a function of the text alone, so it does not matter which session asked first.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use pi_minimizer::{RuleError, Rules, Verified, verify_built_in_rules, verify_rules};
use pi_shell::ShellError;

/// Compiled files that are kept: a person's and a project's, for a few projects.
const KEPT: usize = 8;

/// Compiled files by their texts, the newest last.
static COMPILED: Mutex<Vec<(String, Arc<Rules>)>> = Mutex::new(Vec::new());

/// The compiled form of a rule file.
pub(crate) fn parsed(text: &str) -> Result<Arc<Rules>, ShellError> {
    let known = |compiled: &[(String, Arc<Rules>)]| {
        compiled.iter().find(|(of, _)| of == text).map(|(_, rules)| Arc::clone(rules))
    };
    if let Some(rules) = known(&COMPILED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(rules);
    }
    // Outside the lock: a file may take long, and others need not wait for it.
    let rules = Arc::new(Rules::parse(text).map_err(|error| refused(&error))?);
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if compiled.len() == KEPT {
        compiled.remove(0);
    }
    compiled.push((text.to_owned(), Arc::clone(&rules)));
    Ok(rules)
}

/// Runs the inline tests of a file, or of the built-in rules.
pub(crate) fn verified(text: Option<&str>) -> Result<Verified, ShellError> {
    text.map_or_else(verify_built_in_rules, verify_rules).map_err(|error| refused(&error))
}

/// A file that is wrong, with every cause in its words.
fn refused(error: &RuleError) -> ShellError {
    let mut reason = format!("has a wrong file: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        reason.push_str(": ");
        reason.push_str(&error.to_string());
        cause = error.source();
    }
    ShellError::InvalidOption { name: "ruleFiles", reason }
}
