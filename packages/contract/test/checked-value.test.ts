/** What a caller reads of a wrong value: each field by its name, what it is to be, what it is and what to write. */
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import {
  BashBackgroundListParams,
  BashParams,
  JobParams,
  Settings,
  TaskAwaitParams,
  TaskListParams,
  TaskParams,
  TaskTerminateParams,
} from "../src/index.ts";
import { checkedValue } from "../src/internal.ts";

const bash = { command: "x" };
const task = { kind: "bash", script: "x", timeout_secs: 1, display_name: "x" };
const FIELDS = "`command`, `description`, `env`, `timeout`, `cwd`, `pty`, `unconfined`";

/** A value, and what is reported of it. */
const WRONG: [schema: z.ZodType, value: unknown, problem: string | RegExp][] = [
  [BashParams, undefined, "`params` is missing: it is an object"],
  [BashParams, "ls", "`params` is an object, not a string"],
  [BashParams, '{"command":"ls"}', "`params` is an object, not a string (write it without quotes)"],
  [BashParams, { command: 7 }, '`command` is a string, not a number (write "7")'],
  [BashParams, { command: Symbol("x") }, "`command` is a string, not a symbol"],
  [BashParams, { ...bash, pty: Symbol("x") }, "`pty` is true or false, not a symbol"],
  [BashParams, { ...bash, pty: { toString: null } }, "`pty` is true or false, not an object"],
  [BashParams, { ...bash, timeout: 5n }, "`timeout` is a number, not a bigint"],
  [BashParams, { ...bash, timeout: Number.NaN }, "`timeout` is a number, not NaN"],
  [BashParams, { ...bash, timeout: () => 5 }, "`timeout` is a number, not a function"],
  [BashParams, { ...bash, env: new Map() }, "`env` is an object, not an instance of a class"],
  [BashParams, { ...bash, env: { [Symbol("k")]: "x" } }, "`env.Symbol(k)` has a name that is not a string"],
  [BashParams, { cmd: "ls" }, `\`command\` is missing: it is a string; there is no field \`cmd\`; there are ${FIELDS}`],
  [BashBackgroundListParams, { all: true }, "there is no field `all`; there are none"],
  [JobParams, { poll: "bg_1" }, '`poll` is an array, not a string (write ["bg_1"])'],
  [JobParams, { poll: '["bg_1"]' }, "`poll` is an array, not a string (write it without quotes)"],
  [JobParams, { cancel: ["bg_1", 2] }, '`cancel.1` is a string, not a number (write "2")'],
  [TaskAwaitParams, { min_completed: 1.5 }, "`min_completed` is a whole number, not 1.5"],
  [TaskAwaitParams, { min_completed: 0 }, "`min_completed` is at least 1, not 0"],
  [TaskListParams, { statuses: ["done"] }, /^`statuses.0` is one of `queued`, `running`, .*, not "done"$/],
  [TaskTerminateParams, { task_ids: [] }, "`task_ids` has at least 1 entry, not 0"],
  [TaskParams, 7, "`params` is an object, not a number"],
  [TaskParams, {}, /^`subagent_type` is missing: it is a string; `prompt` is .*; `title` is/],
  [TaskParams, { ...task, kind: undefined }, "`kind` is missing: it is `bash`"],
  [TaskParams, { ...task, kind: "shell" }, '`kind` is `bash`, not "shell"'],
  [TaskParams, { ...task, script: "" }, "`script` has at least 1 character, not 0"],
  [TaskParams, { ...task, timeout_secs: "60" }, "`timeout_secs` is a number, not a string (write 60 without quotes)"],
  [TaskParams, { kind: "bash", prompt: "x", title: "x" }, /^`script` is .*; there is no field `prompt`, `title`; /],
  [Settings, { "async.maxJobs": "x" }, "`async.maxJobs` is a number, not a string"],
  [Settings, { "bashInterceptor.patterns": [{}] }, /^`bashInterceptor.patterns.0.pattern` is missing: it is a string;/],
];

/** The problem of a value; fails where it has none. */
function problemOf(schema: z.ZodType, value: unknown): string {
  const checked = checkedValue(schema, value, { whole: "`params`" });
  if ("value" in checked) throw new Error("nothing is wrong with it");
  return checked.problem;
}

/** A value that throws whatever is asked of it. */
const closed = new Proxy(
  {},
  Object.fromEntries(
    Object.getOwnPropertyNames(Reflect).map((trap) => [
      trap,
      () => {
        throw new TypeError("closed");
      },
    ]),
  ),
);

describe("a wrong value", () => {
  it.each(WRONG.map(([schema, value, problem]) => ({ schema, value, problem })))(
    "is notified of by its fields: $problem",
    ({ schema, value, problem }) => {
      expect(problemOf(schema, value)).toEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
    },
  );

  it("is notified of in one short line, whatever stands in its names and values", () => {
    const long = "\n\u2028\u202e\x1b[2J".repeat(1_000_000);
    const cyclic: Record<string, unknown> = {};
    cyclic["command"] = [cyclic];

    for (const value of [{ [long]: 1 }, { ...bash, env: { [long]: 1 } }, { ...bash, timeout: long }, long, cyclic]) {
      const problem = problemOf(BashParams, value);
      expect(problem).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      expect(problem.length).toBeLessThan(400);
    }
    expect(problemOf(TaskParams, { ...task, kind: long })).toMatch(/^`kind` is `bash`, not "\\n.{1,50}…$/u);
  });

  it("that cannot be read is reported, with what it threw as the cause", () => {
    const throwing = {
      get command() {
        throw new RangeError("no");
      },
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();

    for (const value of [closed, throwing, { ...bash, env: closed }, { command: revoked.proxy }, revoked.proxy]) {
      const checked = checkedValue(BashParams, value, { whole: "`params`" });
      expect(checked).toEqual({
        problem: "`params` cannot be read: give plain values, as JSON has them",
        cause: expect.any(Error),
      });
    }
  });
});
