/** Requests of `pi-bash rpc`: what is one, and what its sender reads where it is none. */
import { describe, expect, it } from "vitest";
import { parseRpcRequest } from "../src/internal.ts";

const TYPES = "`bash`, `abort_bash`, `tool`, `abort`, `list_tools`, `answer_secret`, `approval`";
const bash = { type: "bash", command: "x" };
const approval = { type: "approval", requestId: 1, allow: true };

describe("a request", () => {
  it.each([
    [{ ...bash, id: "a", env: { A: "1" }, timeoutMs: 0.5, stream: false }],
    [{ type: "abort_bash", id: 7 }],
    [{ type: "tool", tool: "bash", params: [] }],
    [{ type: "abort", target: 7 }],
    [{ type: "list_tools" }],
    [{ ...approval, reason: "x".repeat(4_096) }],
  ])("is taken as it is: %j", (request) => {
    expect(parseRpcRequest(request)).toEqual({ request });
  });

  it.each([
    [7, "a request is an object, not a number"],
    [null, "a request is an object, not null"],
    [[], "a request is an object, not an array"],
    [{}, `\`type\` is missing: it is one of ${TYPES}`],
    [{ type: "nope" }, `\`type\` is one of ${TYPES}, not "nope"`],
    [{ type: 7 }, `\`type\` is one of ${TYPES}, not 7`],
    [{ type: {} }, `\`type\` is one of ${TYPES}, not an object`],
    [{ type: "bash" }, "`command` is missing: it is a string"],
    [{ ...bash, command: 7 }, '`command` is a string, not a number (write "7")'],
    [{ ...bash, command: null }, "`command` is a string, not null"],
    [{ ...bash, command: ["ls"] }, "`command` is a string, not an array"],
    [{ ...bash, id: {} }, "`id` is a string or a number, not an object"],
    [{ ...bash, id: "x".repeat(300) }, "`id` has at most 256 characters, not 300"],
    [{ ...bash, env: "A=1" }, "`env` is an object, not a string"],
    [{ ...bash, env: { A: 1 } }, '`env.A` is a string, not a number (write "1")'],
    [{ ...bash, env: { A: true } }, '`env.A` is a string, not true (write "true")'],
    [{ ...bash, timeoutMs: "5000" }, "`timeoutMs` is a number, not a string (write 5000 without quotes)"],
    [{ ...bash, timeoutMs: "5s" }, "`timeoutMs` is a number, not a string"],
    [{ ...bash, timeoutMs: 0 }, "`timeoutMs` is above 0, not 0"],
    [{ ...bash, timeoutMs: Number.POSITIVE_INFINITY }, "`timeoutMs` is a number, not Infinity"],
    [{ ...bash, stream: "true" }, "`stream` is true or false, not a string (write true without quotes)"],
    [{ ...bash, stream: 1 }, "`stream` is true or false, not a number"],
    [
      { ...bash, timeout: 5 },
      "there is no field `timeout`; there are `id`, `type`, `command`, `env`, `timeoutMs`, `stream`",
    ],
    [{ type: "abort" }, "`target` is missing: it is a string or a number"],
    [{ type: "abort", target: true }, '`target` is a string or a number, not true (write "true")'],
    [{ ...approval, reason: "x".repeat(5_000) }, "`reason` has at most 4096 characters, not 5000"],
    [
      { type: "approval", requestId: "1", allow: "yes" },
      "`requestId` is a number, not a string (write 1 without quotes); `allow` is true or false, not a string",
    ],
  ])("that is not one is answered with the field that is wrong and what to write: %j", (value, problem) => {
    expect(parseRpcRequest(value)).toEqual({ problem });
  });

  it("is answered in one short line, whatever its sender puts into names and values", () => {
    const long = "n\n\u202e\x1b[2J".repeat(10_000);
    const env = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [`${index}${long.slice(0, 90)}`, index]),
    );

    for (const value of [{ ...bash, [long]: 1 }, { type: long }, { ...bash, env }]) {
      const parsed = parseRpcRequest(value);
      const problem = "problem" in parsed ? parsed.problem : "";
      expect(problem).not.toMatch(/\p{C}/u);
      expect(problem.length).toBeGreaterThan(20);
      expect(problem.length).toBeLessThan(800);
    }
    expect(parseRpcRequest({ ...bash, env })).toMatchObject({ problem: expect.stringMatching(/; and 995 more$/) });
  });
});
