/** A verdict in a line: what the policy says of a command line that runs in a workspace below the home folder. */
import { analyzeCommand } from "@pi-bash/command";
import { classify } from "../../src/classify.ts";
import { decide, type PolicyMode, type Verdict } from "../../src/decide.ts";
import type { Finding } from "../../src/finding.ts";
import { checkBashInterception } from "../../src/interception/interceptor.ts";
import { loadRules, type RuleSet } from "../../src/rules/rule-file.ts";
import { taintOf } from "../../src/taint.ts";
import { findUnasked } from "../../src/unasked/find-unasked.ts";
import { PLACE } from "./danger-answer.ts";

/** Rules of an owner, one of each kind of pattern. */
const OWNERS_RULES: RuleSet = loadRules(
  {
    allow: [
      "Bash(git **)",
      "Bash(echo **)",
      "Bash(bash **)",
      "Bash(find * -name **)",
      "Bash(make !-f **)",
      "Write(build/**)",
    ],
    ask: ["Bash(git push --force **)", "Bash({cp,mv} **)", "Env(GIT_*)"],
    deny: ["Bash(rm **)", "Bash(curl *)", "Bash(re:^ch(mod|own) )", "Write(/etc/**)"],
  },
  "user",
);

const TOOLS = ["read", "search", "find", "edit", "write"];

const judged = (command: string, mode: PolicyMode, ruleSets: readonly RuleSet[] = []): Verdict =>
  decide({ command, ...PLACE, mode }, { ruleSets });

const placed = (title: string, findings: readonly Pick<Finding, "code" | "span">[]): readonly string[] =>
  findings.length === 0
    ? []
    : [`${title} ${findings.map(({ code, span }) => `${code} ${span.start}-${span.end}`).join(", ")}`];

const listed = (title: string, words: readonly string[]): readonly string[] =>
  words.length === 0 ? [] : [`${title} ${words.join(" ")}`];

/**
 * The class; what becomes of the line in mode `default`, in mode `yolo`, and in mode `default` with `OWNERS_RULES`; then
 * whatever else there is to say of it. Codes have their places, in UTF-16 units.
 */
export function verdictText(line: string): string {
  const analysis = analyzeCommand(line);
  const { class: kind, findings, undecided, grade } = classify(line, PLACE);
  const [usual, free, ruled] = [judged(line, "default"), judged(line, "yolo"), judged(line, "default", [OWNERS_RULES])];
  const taint = taintOf(analysis);
  const other = checkBashInterception(line, TOOLS);
  return [
    `${kind}: ${[usual, free, ruled].map(({ behavior }) => behavior).join(" ")}`,
    ...placed("finds", findings),
    ...placed("cannot decide", undecided),
    ...placed("never unasked", findUnasked({ command: line, ...PLACE })),
    ...listed("reads by", grade === undefined || grade === "tables" ? [] : [grade]),
    ...(usual.concurrencySafe ? ["beside others"] : []),
    ...listed("taints by", taint === undefined ? [] : [taint]),
    ...(other.block ? placed("belongs to", [{ code: other.suggestedTool, span: other.span }]) : []),
    ...listed("suggests", usual.suggestedRules),
  ].join("; ");
}
