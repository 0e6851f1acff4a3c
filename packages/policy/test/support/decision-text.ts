/** What becomes of a command line under many circumstances: modes, rules, what holds it, what is known of its session. */
import { decide, type PolicyConfig, type PolicyRequest } from "../../src/decide.ts";
import { loadRules } from "../../src/rules/rule-file.ts";
import { PLACE } from "./danger-answer.ts";

interface Circumstance {
  readonly name: string;
  readonly request?: Partial<PolicyRequest>;
  readonly config?: PolicyConfig;
}

const ALLOW = ["Bash(git **)", "Bash(rm **)", "Bash(cat **)", "Bash(find **)", "Bash(sudo **)", "Write(**)", "Env(A)"];
const BY_RULE = { ruleSets: [loadRules({ allow: ALLOW }, "user")] };
const BY_PROJECT = { ruleSets: [loadRules({ allow: ["Bash"], ask: ["Bash(echo **)"] }, "project")] };
const REMOTE = {
  ruleSets: [loadRules({ allow: ["Bash(rm **) on ssh:*"], deny: ["Bash(git **) on ssh:prod"] }, "user")],
};
const DENYING = {
  ruleSets: [
    loadRules({ deny: [{ rule: "Bash(rm -rf **)", reason: "use trash" }, "Write(/etc/**)", "Env(A)"] }, "managed"),
    loadRules({ ask: ["Bash(git **)", "Bash(rm **)"], allow: ["Bash(rm **)"] }, "session"),
  ],
};
const BROKEN = { ruleSets: [loadRules({ allow: ["Bash", "Bash("] }, "local")] };
const BLOCKED = { blockedCommands: ["rm -rf x", "git push", "cd a; ls", "'"], requireDescription: true };
const DANGER = { key: "core.fsmonitor", value: "./run", origin: "file:.git/config" };
const DOUBT = { code: "doubt", severity: "unknown", message: "a doubt", span: { start: 0, end: 1 } } as const;

const CIRCUMSTANCES: readonly Circumstance[] = [
  { name: "usually" },
  { name: "plan", request: { mode: "plan" } },
  { name: "plan by rule", request: { mode: "plan", hold: "kernel" }, config: BY_RULE },
  { name: "sandboxed auto", request: { mode: "auto", sandboxed: true } },
  { name: "auto", request: { mode: "auto" } },
  { name: "dontAsk", request: { mode: "dontAsk" } },
  { name: "yolo", request: { mode: "yolo" } },
  { name: "no one there", request: { interactive: false } },
  { name: "held", request: { hold: "kernel" } },
  { name: "held, yolo", request: { hold: "kernel", mode: "yolo" } },
  { name: "strict", request: { hold: "strict" } },
  { name: "nothing holds", request: { hold: "none" } },
  { name: "wants to write", request: { hold: "kernel", unconfined: true } },
  { name: "by rule", config: BY_RULE },
  { name: "held by rule", request: { hold: "kernel" }, config: BY_RULE },
  { name: "strict by rule", request: { hold: "strict" }, config: BY_RULE },
  { name: "elsewhere by rule", request: { cwd: "/srv/x" }, config: BY_RULE },
  { name: "by rule, tainted", request: { taint: "`alias`" }, config: BY_RULE },
  { name: "tainted", request: { taint: "`alias`" } },
  { name: "trusted", request: { trusted: true }, config: BY_PROJECT },
  { name: "not trusted", config: BY_PROJECT },
  { name: "remote", request: { place: "ssh:prod" }, config: REMOTE },
  { name: "not remote", config: REMOTE },
  { name: "denying", config: DENYING },
  { name: "denying, yolo", request: { mode: "yolo", env: { A: "1" } }, config: DENYING },
  { name: "broken rules", config: BROKEN },
  { name: "blocked", config: BLOCKED },
  { name: "blocked, described", request: { description: "d" }, config: BLOCKED },
  { name: "made of a removal", request: { original: { command: "cd / && rm -rf x", cwd: "/" } }, config: DENYING },
  { name: "with PATH", request: { env: { PATH: "/x", LANG: "C" } } },
  { name: "with A", request: { env: { A: "1" } }, config: BY_RULE },
  { name: "with GIT_DIR", request: { env: { GIT_DIR: "/x", NO_COLOR: "1" }, mode: "yolo" } },
  { name: "dangerous repository", request: { gitDangers: [DANGER] } },
  { name: "dangerous repository, held", request: { gitDangers: [DANGER], hold: "kernel" } },
  { name: "safe repository by rule", request: { gitDangers: [], trusted: true }, config: BY_RULE },
  { name: "unasked", request: { mode: "yolo", allowUnasked: ["system-write", "download-to-shell", "open-modes"] } },
  { name: "undecided is not asked", request: { mode: "yolo", askUndecidedBlocks: false } },
  { name: "with a doubt", request: { mode: "yolo", doubts: [DOUBT] } },
  { name: "shutdown is not blocked", request: { mode: "yolo" }, config: { blockShutdown: false } },
];

function decisionIn({ request, config = {} }: Circumstance, command: string): string {
  const verdict = decide({ command, ...PLACE, ...request }, config);
  const reasons = verdict.reasons.map(({ code }) => code);
  const rules = verdict.matchedRules.map(({ rule, source, reason }) =>
    [rule, source, reason].filter(Boolean).join(" "),
  );
  return [
    `${verdict.behavior} ${verdict.class}`,
    ...(verdict.concurrencySafe ? ["beside others"] : []),
    ...(verdict.reading === undefined ? [] : [verdict.reading]),
    ...(Object.keys(verdict.environment).length === 0 ? [] : ["hardened"]),
    ...(reasons.length === 0 ? [] : [`because ${[...new Set(reasons)].join(" ")}`]),
    ...(rules.length === 0 ? [] : [`by ${rules.join(", ")}`]),
    ...(verdict.suggestedRules.length === 0 ? [] : [`suggests ${verdict.suggestedRules.join(" ")}`]),
  ].join("; ");
}

/** A row for each outcome, with the circumstances that come to it. */
export function decisionText(line: string): readonly string[] {
  const outcomes = new Map<string, string[]>();
  for (const each of CIRCUMSTANCES) {
    const outcome = decisionIn(each, line);
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), each.name]);
  }
  return [...outcomes].map(([outcome, names]) => `${names.join(", ")}: ${outcome}`);
}
