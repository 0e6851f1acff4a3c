//! The rule files that come with the crate keep what they promise, and a bad file is refused.

use pi_minimizer::{RuleError, Rules, verify_built_in_rules, verify_rules};

#[test]
fn the_inline_tests_of_all_built_in_rules_hold() {
    let verified = verify_built_in_rules()
        .unwrap_or_else(|error| panic!("{error}: {:?}", std::error::Error::source(&error)));
    assert!(verified.rules >= 12, "{verified:?}");
    assert!(verified.tests >= verified.rules, "a rule without a test: {verified:?}");
}

#[test]
fn a_rule_with_an_unknown_key_is_refused() {
    let text = "schema = 1\n[[rule]]\nname = \"x\"\nprograms = [\"x\"]\nrun = \"rm\"\n";
    assert!(matches!(Rules::parse(text), Err(RuleError::Syntax(_))));
}

#[test]
fn a_rule_of_another_schema_is_refused() {
    assert!(matches!(Rules::parse("schema = 2\nrule = []\n"), Err(RuleError::Schema(2))));
}

#[test]
fn a_rule_that_nothing_leads_to_is_refused() {
    assert!(matches!(
        Rules::parse("schema = 1\n[[rule]]\nname = \"x\"\n"),
        Err(RuleError::Unreachable(_))
    ));
}

#[test]
fn a_rule_with_an_unknown_kind_or_a_broken_pattern_is_refused() {
    let kind = "schema = 1\n[[rule]]\nname = \"x\"\nprograms = [\"x\"]\n[[rule.drop]]\nkind = \"junk\"\nlines = [\"a\"]\n";
    assert!(matches!(Rules::parse(kind), Err(RuleError::Kind { .. })));
    let pattern =
        "schema = 1\n[[rule]]\nname = \"x\"\nprograms = [\"x\"]\n[[rule.drop]]\nlines = [\"(\"]\n";
    assert!(matches!(Rules::parse(pattern), Err(RuleError::Pattern { .. })));
}

#[test]
fn a_test_that_does_not_hold_names_itself() {
    let text = "schema = 1\n[[rule]]\nname = \"x\"\nprograms = [\"x\"]\n[[rule.drop]]\nlines = ['^gone']\n\
                [[rule.test]]\nname = \"t\"\ninput = \"gone\\nstays\\n\"\nfacts = [\"gone\"]\n";
    let error = verify_rules(text).expect_err("the fact is gone");
    assert!(error.to_string().contains("test `t` of rule `x`"), "{error}");
}
