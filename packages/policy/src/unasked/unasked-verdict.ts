/**
 * The question about a line that never runs unasked, where there is no policy to put it.
 */
import { classify } from "../classify.ts";
import type { PolicyRequest, Verdict } from "../decide.ts";
import { escapeForDisplay } from "../suspicious-text.ts";
import { findUnasked } from "./find-unasked.ts";

/** What to ask; undefined where nothing of it is in the line or in the text that it was made of. */
export function unaskedVerdict(request: PolicyRequest): Verdict | undefined {
  const { command, original } = request;
  const texts = original === undefined ? [request] : [request, { ...request, ...original }];
  const reasons = new Map(texts.flatMap(findUnasked).map((finding) => [finding.code, finding]));
  if (reasons.size === 0) return undefined;
  return {
    behavior: "ask",
    class: classify(command).class,
    concurrencySafe: false,
    reasons: [...reasons.values()],
    matchedRules: [],
    suggestedRules: [],
    display: escapeForDisplay(command),
    environment: {},
  };
}
