/** What a policy says that allows a command which changes something. Policies that a test plays are not here. */
import type { Authorization, Verdict } from "@pi-bash/policy";

/** The verdict. */
export const ALLOWS: Verdict = {
  behavior: "allow",
  class: "not-readonly",
  concurrencySafe: false,
  reasons: [],
  matchedRules: [],
  suggestedRules: [],
  display: "",
  environment: {},
};

/** The same as an answer of a policy. */
export const ALLOWED: Authorization = { behavior: "allow", by: "policy", verdict: ALLOWS };
