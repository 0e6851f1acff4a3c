/** The scripted model and the table of `npm run clients`. The clients themselves are tried by that command, not here. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { Api, Message, Model, Tool } from "@earendil-works/pi-ai";
import { complete } from "@earendil-works/pi-ai/compat";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Cell, COLUMNS, hugeScript, ordinaryScript, TOOLS } from "../../scripts/clients/checks.mjs";
import { DRIVERS } from "../../scripts/clients/drivers/all.mjs";
import { startModelServer } from "../../scripts/clients/model-server.mjs";
import { isGood, type Row, writePage } from "../../scripts/clients/table.mjs";
import { VERSIONS } from "../../scripts/clients/versions.mjs";

type Turns = AsyncGenerator<{ name: string; input: object }[], void, string[] | undefined>;

const BASH: Tool = { name: "their_bash", description: "Runs.", parameters: { type: "object" } };

/** A model on loopback that follows this script and is closed at the test's end. */
async function modelOf(script: () => Turns) {
  const server = await startModelServer(script, { toolName: (name: string) => `their_${name}` });
  onTestFinished(() => server.close());
  return server;
}

const command = (text: string) => ({ name: "bash", input: { command: text } });

/** A real SDK asks until the model has its last words; each call "runs" its command. The last words. */
async function converse(api: Api, baseUrl: string): Promise<string> {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const limits = { contextWindow: 100_000, maxTokens: 1_000 };
  const provider = "scripted";
  const model: Model<Api> = {
    id: provider,
    name: provider,
    api,
    provider,
    baseUrl,
    reasoning: false,
    input: ["text"],
    cost,
    ...limits,
  };
  const messages: Message[] = [{ role: "user", content: "Begin.", timestamp: 0 }];
  for (;;) {
    const answer = await complete(model, { messages, tools: [BASH] }, { apiKey: "dummy", timeoutMs: 10_000 });
    expect(answer.errorMessage).toBeUndefined();
    messages.push(answer);
    const calls = answer.content.filter((part) => part.type === "toolCall");
    if (calls.length === 0) return answer.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    for (const { id, name, arguments: input } of calls) {
      const content = [{ type: "text" as const, text: `ran ${input["command"]}` }];
      messages.push({ role: "toolResult", toolCallId: id, toolName: name, content, isError: false, timestamp: 0 });
    }
  }
}

describe("the scripted model", () => {
  it.each([
    ["anthropic-messages", "", "anthropic"],
    ["openai-completions", "/v1", "openai-chat"],
    ["openai-responses", "/v1", "openai-responses"],
    ["google-generative-ai", "/v1beta", "gemini"],
  ])("calls tools by the SDK of %s and reads their results", async (api, path, format) => {
    const read: unknown[] = [];
    const server = await modelOf(async function* () {
      read.push(yield [command("first"), command("second")]);
      read.push(yield [command("third")]);
    });

    expect(await converse(api, `${server.url}${path}`)).toBe("That was all.");
    expect(read).toEqual([["ran first", "ran second"], ["ran third"]]);
    expect(server.formats()).toEqual([format]);
  });

  const ask = async (url: string, messages: object[], tools: object[]) => {
    const body = JSON.stringify({ model: "scripted", messages, tools });
    const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    return (await answer.json()) as { choices: { message: { content: string; tool_calls?: { id: string }[] } }[] };
  };
  const declared = [{ type: "function", function: { name: "their_bash" } }];

  it("says a turn once more to a request without its results, goes on after a skip, and ends a client that never has any", async () => {
    const read: unknown[] = [];
    const server = await modelOf(async function* () {
      read.push(yield [command("first")]);
      read.push(yield [command("second")]);
    });
    const first = await ask(server.url, [], declared);

    expect(await ask(server.url, [], declared)).toMatchObject({
      choices: [{ message: { tool_calls: first.choices[0]?.message.tool_calls ?? [] } }],
    });
    server.skip();
    await ask(server.url, [], declared);
    expect(read).toEqual([undefined]);
    const answers: object[] = [];
    for (let times = 0; times < 12; times += 1) answers.push(await ask(server.url, [], declared));
    expect(answers.at(-1)).toMatchObject({ error: { message: expect.stringContaining("were not given") } });
  });

  it("spends no turn of the script on a request without the engine's tools", async () => {
    let isTold = false;
    const server = await modelOf(async function* () {
      isTold = true;
      yield [command("first")];
    });

    expect((await ask(server.url, [], [])).choices[0]?.message.content).toBe("ok");
    expect(isTold).toBe(false);
  });
});

describe("what is asked of a client", () => {
  it("fills a cell with what was wrong: a tool that is not shown, a text that did not arrive", async () => {
    const cells = new Map<string, Cell>();
    const cannot = Object.fromEntries(COLUMNS.filter((name) => name !== "failure").map((name) => [name, "no way"]));
    const telling = ordinaryScript(cannot, cells, (name: string) => name)(TOOLS.slice(1).map((name) => ({ name })));
    await telling.next();
    await telling.next(["this went wrong\nCommand exited with code 4"]);

    expect(cells.get("tools")).toEqual({ state: "failed", why: "not shown to the model: bash" });
    expect(cells.get("failure")).toMatchObject({ state: "failed", why: expect.stringContaining("its status") });
  });

  it("takes no huge output without its end, its line and the lines at its address", async () => {
    const whole = "199999\n200000\n\n[Showing lines 192687-200000 of 200000 (50.0KB limit). Full: artifact://abc]";
    const judge = async (...texts: string[]) => {
      const cells = new Map<string, Cell>();
      const telling = hugeScript(cells)([]);
      await telling.next();
      for (const text of texts) await telling.next([text]);
      return cells.get("huge")?.state;
    };

    expect(await judge(whole, "200000")).toBe("ok");
    expect(await judge(whole, "No such file")).toBe("failed");
    expect(await judge(whole.replace("artifact://abc", ""))).toBe("failed");
    expect(await judge(whole.replace("199999\n200000\n", "1\n2\n"))).toBe("failed");
    expect(await judge(whole.slice(0, 20))).toBe("failed");
  });
});

describe("the table of clients", () => {
  it("has a row for each client of the list of versions", () => {
    expect(DRIVERS.map(({ id }) => id).sort()).toEqual(Object.keys(VERSIONS).sort());
  });

  it("is written between its lines, and is good only where every cell is", () => {
    const root = mkdtempSync(join(tmpdir(), "pi-bash-clients-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, "docs"));
    const page = join(root, "docs", "clients.md");
    writeFileSync(page, "before\n<!-- clients: x -->\nold\n<!-- /clients -->\nafter\n");
    const [first, second, third] = DRIVERS;
    if (first === undefined || second === undefined || third === undefined) throw new Error("there are no drivers");
    const good = () => new Map<string, Cell>(COLUMNS.map((column) => [column, { state: "ok" }]));
    const rows: Row[] = [
      { driver: first, cells: good() },
      { driver: second, cells: good().set("kill", { state: "failed", why: "a|b" }) },
      { driver: third, missing: `no such package in ${homedir()}` },
    ];
    writePage(root, rows);

    expect(rows.map(isGood)).toEqual([true, false, false]);
    const text = readFileSync(page, "utf8");
    expect(text).toMatch(/^before\n<!-- clients: x -->\n[\s\S]*<!-- \/clients -->\nafter\n$/);
    expect(text).not.toContain("old");
    expect(text).toMatch(/, kill FAILED: a\\\|b/);
    expect(text).toMatch(/was not tried: no such package in ~/);
  });
});
