/**
 * What clients of `pi-bash mcp` and `pi-bash rpc` see of a call that ran read-only: the lines, the details, the parameter,
 * and the question. Both are the built programs, at the other end of a pipe.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { client } from "./rpc-client.ts";
import { connect } from "./support/mcp-client.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available, reason } = capabilities().readOnly;
const skipped = available ? "" : ` (skipped: ${reason})`;

const WRITES = "node -e 'console.log(`tried`); fs.appendFileSync(`made`, `x`)'";
/** A server whose client cannot be asked has a policy only where a word says so. */
const DEFAULT = ["--mode", "default"];
const ASK = ["--setting", "readOnly.onRefusal=ask"];
const REFUSED = "Probably refused: writing (`made`)";
const REFUSALS = [{ kind: "read-only-path", path: "made" }];

describe.skipIf(!available)(`a call that only reads, over MCP${skipped}`, () => {
  it.each(["legacy", { pin: "2026-07-28" }] as const)(
    "says what was refused, as a line and as data: %j",
    async (mode) => {
      const { folder, call } = await connect({ mode, words: DEFAULT });

      const answer = await call("bash", { command: WRITES });

      expect(answer.isError).toBe(true);
      expect(answer.text).toContain(REFUSED);
      expect(answer.text).toContain("call again with `unconfined: true`");
      expect(answer.details).toMatchObject({ exitCode: 1, readOnly: { enforced: true, refusals: REFUSALS } });
      expect(existsSync(join(folder, "made"))).toBe(false);
    },
  );

  it("has `unconfined` among its parameters, which is asked about, and not where nothing is confined", async () => {
    const asked: string[] = [];
    const elicit = (message: string) => {
      asked.push(message);
      return "accept" as const;
    };
    const { client: mcp, folder, call } = await connect({ elicit });
    const off = await connect({ words: ["--setting", "readOnly.enforce=off"] });

    const answer = await call("bash", { command: WRITES, unconfined: true });

    const [[held], [free]] = [(await mcp.listTools()).tools, (await off.client.listTools()).tools];
    expect(held?.inputSchema.properties?.["unconfined"]).toMatchObject({ type: "boolean" });
    expect(free?.inputSchema.properties).not.toHaveProperty("unconfined");
    expect(asked).toEqual([expect.stringContaining(WRITES)]);
    expect(answer).toMatchObject({ isError: false, text: expect.stringMatching(/^tried\n/) });
    expect(answer.details).not.toHaveProperty("readOnly");
    expect(readFileSync(join(folder, "made"), "utf8")).toBe("x");
  });

  it("with `readOnly.onRefusal` set to `ask` asks its client, and runs once more where it can write", async () => {
    const asked: string[] = [];
    const elicit = (message: string) => {
      asked.push(message);
      return "accept" as const;
    };
    const { folder, call } = await connect({ elicit, words: ASK });

    const answer = await call("bash", { command: WRITES });

    expect(asked).toEqual([
      expect.stringContaining("it ran read-only, and by what it printed it was refused: writing (`made`)"),
    ]);
    expect(answer).toMatchObject({ isError: false, text: expect.stringMatching(/^\[Read-only run\]\ntried\n/) });
    expect(answer.details).toMatchObject({ readOnly: { answer: "approved", refusals: REFUSALS } });
    expect(readFileSync(join(folder, "made"), "utf8")).toBe("x");
  });

  it.each([
    ["declined", { elicit: () => "decline" as const }, "It was not approved to run where it can write.", "denied"],
    ["never asked about", {}, "call again with `unconfined: true`", undefined],
  ])("that is %s then stays as it was", async (_, more, words, result) => {
    const { folder, call } = await connect({ ...more, words: [...DEFAULT, ...ASK] });

    const answer = await call("bash", { command: WRITES });

    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^tried\n/) });
    expect(answer.text).toContain(words);
    const { readOnly } = answer.details as { readOnly: { answer?: string } };
    expect(readOnly).toMatchObject({ enforced: true, refusals: REFUSALS });
    expect(readOnly.answer).toBe(result);
    expect(existsSync(join(folder, "made"))).toBe(false);
  });
});

describe.skipIf(!available)(`a call that only reads, by RPC${skipped}`, () => {
  it("says what was refused, as a line and as data, and lists the parameter", async () => {
    const { send, response, folder } = client([]);

    send({ id: 1, type: "tool", tool: "bash", params: { command: WRITES } });
    send({ id: 2, type: "list_tools" });

    const { data } = await response(1);
    expect(data).toMatchObject({ isError: true, details: { readOnly: { enforced: true, refusals: REFUSALS } } });
    expect(JSON.stringify(data?.["content"])).toContain(REFUSED);
    const tools = (await response(2)).data?.["tools"] as { name: string; parameters: { properties: object } }[];
    expect(tools.find(({ name }) => name === "bash")?.parameters.properties).toHaveProperty("unconfined");
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it.each([
    ["`unconfined`", [], { unconfined: true }, "the call asks to run where it can write"],
    [
      "`readOnly.onRefusal` set to `ask`",
      ASK,
      {},
      "it ran read-only, and by what it printed it was refused: writing (`made`)",
    ],
  ])("with %s asks its client, and follows the answer", async (_, words, more, why) => {
    const { send, find, response, folder } = client(words);
    const params = { command: WRITES, ...more };

    send({ id: 1, type: "tool", tool: "bash", params });
    const first = await find(({ type }) => type === "approval_request");
    send({ type: "approval", requestId: first["requestId"], allow: false });
    const declined = await response(1);
    const wasMade = existsSync(join(folder, "made"));
    send({ id: 2, type: "tool", tool: "bash", params });
    const second = await find(({ type, requestId }) => type === "approval_request" && requestId !== first["requestId"]);
    send({ type: "approval", requestId: second["requestId"], allow: true });

    expect(first["command"]).toBe(WRITES);
    expect(JSON.stringify(first)).toContain(why);
    expect(declined.data).toMatchObject({ isError: true });
    expect(wasMade).toBe(false);
    expect((await response(2)).data).not.toMatchObject({ isError: true });
    expect(readFileSync(join(folder, "made"), "utf8")).toBe("x");
  });

  it("that is declined after its refusal answers with the first run", async () => {
    const { send, find, response } = client(ASK);

    send({ id: 1, type: "tool", tool: "bash", params: { command: WRITES } });
    const question = await find(({ type }) => type === "approval_request");
    send({ type: "approval", requestId: question["requestId"], allow: false });

    const { data } = await response(1);
    expect(data).toMatchObject({
      isError: true,
      details: { exitCode: 1, readOnly: { answer: "denied", refusals: REFUSALS } },
    });
    expect(JSON.stringify(data?.["content"])).toContain("It was not approved to run where it can write.");
  });
});
