/**
 * A rule file of the minimizer with one rule and its inline test, for tests of what takes rule files.
 */

/** Drops the lines `step …` of `frobnicate`; the rule is called `mine`. */
export const STEP_RULES = `schema = 1
[[rule]]
name = "mine"
programs = ["frobnicate"]
[[rule.drop]]
lines = ['^step ']
[[rule.test]]
name = "steps go"
input = """
step 1
end
"""
gone = ["step"]
`;
