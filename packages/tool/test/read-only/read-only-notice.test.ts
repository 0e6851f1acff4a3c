/** The lines for the model about a read-only run: what was refused, why it ran so, and the next step; else silence. */
import type { ReadOnlyEnforced } from "@pi-bash/contract";
import { expect, it } from "vitest";
import { readOnlyNotice } from "../../src/read-only/read-only-notice.ts";

const HELD: ReadOnlyEnforced = { enforced: true, degraded: [], stateDropped: false, refusals: [] };
const WHY = "This ran read-only, because it was allowed without asking as a command that only reads";
const NEXT = "If it has to write, call again with `unconfined: true`: approval is asked for first.";

function notice(readOnly: Partial<ReadOnlyEnforced>, exitCode = 0, command = "x", output = ""): string[] {
  return readOnlyNotice({ readOnly: { ...HELD, ...readOnly }, exitCode, output }, command);
}

it("names what the output hints at, as probable", () => {
  expect(notice({ refusals: [{ kind: "read-only-path", path: "src/x", evidence: "…" }] }, 1)).toEqual([
    `${WHY}. Probably refused: writing (\`src/x\`). ${NEXT}`,
  ]);
  expect(notice({ refusals: [{ kind: "network", evidence: "…" }] }, 1)).toEqual([
    `${WHY}. Probably refused: the network. ${NEXT}`,
  ]);
});

it("says that something may have been refused where a command failed and nothing is known", () => {
  expect(notice({}, 1, "make-like")).toEqual([`${WHY}; something may have been refused. ${NEXT}`]);
  expect(notice({}, 2, "grep x y", "grep: weird")).toHaveLength(1);
  for (const command of ["git mygrep", "git configure", "", "x=1"]) expect(notice({}, 1, command)).toHaveLength(1);
});

it.each([
  ["grep x f", 1, ""],
  ["cat f | rg x", 1, ""],
  ["diff a b", 1, "1c1"],
  ["git diff --exit-code", 1, "…"],
  ["[ -f x ]", 1, ""],
  ["ls missing", 2, "ls: cannot access 'missing': No such file or directory\n"],
  ["git status", 128, "fatal: not a git repository (or any of the parent directories): .git\n"],
  ["cat f", 0, "x"],
  // With `pipefail` in the session: the reader had what it wanted.
  ["yes | head -n 1", 141, "y"],
])("is silent where the status is an answer or the output explains it: %s", (command, status, output) => {
  expect(notice({}, status, command, output)).toEqual([]);
});

it("is silent about what nothing held, and about a command that was stopped", () => {
  const result = { exitCode: 1, output: "" };

  expect(readOnlyNotice({ ...result, readOnly: { enforced: false, reason: "x" } }, "x")).toEqual([]);
  expect(readOnlyNotice(result, "x")).toEqual([]);
  expect(readOnlyNotice({ output: "", readOnly: HELD }, "x")).toEqual([]);
});

it("says in a line that what was set in the shell is gone", () => {
  expect(notice({ stateDropped: true })).toEqual([
    "What the command set in its shell (variables, functions, options) is gone, because it ran read-only.",
  ]);
});

it("does not offer a question that was answered", () => {
  const refusals = [{ kind: "read-only-path" as const, evidence: "…" }];

  expect(notice({ refusals, answer: "denied" }, 1)).toEqual([
    `${WHY}. Probably refused: writing. It was not approved to run where it can write.`,
  ]);
});

it("stays short and on one line whatever a path is", () => {
  const path = `/x\n${"y`".repeat(3_000)}`;
  const [line = ""] = notice({ refusals: [{ kind: "read-only-path", path, evidence: "…" }] }, 1);

  expect(line).not.toContain("\n");
  expect(line.length).toBeLessThan(400);
});
