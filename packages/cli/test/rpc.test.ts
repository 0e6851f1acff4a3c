/** `pi-bash rpc`: requests and answers by lines, with clients that behave and clients that do not. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { linesOf } from "../src/rpc/line-input.ts";

const PROGRAM = fileURLToPath(new URL("../bin/pi-bash.mjs", import.meta.url));
/** A test that waits longer for the process than this has found a hang. */
const LIMIT_MS = 50_000;

interface Message {
  id?: string | number;
  type: string;
  command?: string;
  success?: boolean;
  data?: Record<string, unknown> & { output?: string; exitCode?: number; cancelled?: boolean };
  error?: string;
  code?: string;
  text?: string;
  [more: string]: unknown;
}

interface Client {
  readonly child: ChildProcessWithoutNullStreams;
  readonly folder: string;
  readonly messages: Message[];
  readonly ended: Promise<number | null>;
  send(message: object | string): void;
  /** The first message, come or to come, that fits. */
  find(fits: (message: Message) => boolean): Promise<Message>;
  response(id: string | number): Promise<Message>;
}

function client(words: readonly string[] = []): Client {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-bash-rpc-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [PROGRAM, "rpc", ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined);
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  createInterface({ input: child.stdout }).on("line", (line) => {
    messages.push(JSON.parse(line) as Message);
    for (const look of waiting) look();
  });
  const find = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve, reject) => {
      const look = () => {
        const found = messages.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((status) => reject(new Error(`the program ended with ${status}: ${JSON.stringify(messages)}`)));
    });
  return {
    child,
    folder,
    messages,
    ended,
    find,
    send: (message) => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    response: (id) => find((message) => message.type === "response" && message.id === id),
  };
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}

describe("a person's command by RPC", () => {
  it("answers with the whole result, and its output comes live before that", async () => {
    const { send, response, messages, child, ended } = client();

    send({ id: "a", type: "bash", command: "echo one; echo two >&2; exit 3" });

    expect(await response("a")).toMatchObject({
      command: "bash",
      success: true,
      data: { output: "one\ntwo\n", exitCode: 3 },
    });
    const chunks = messages.filter(({ type, id }) => type === "bash_chunk" && id === "a");
    expect(chunks.map(({ text }) => text).join("")).toBe("one\ntwo\n");
    expect(messages.at(-1)?.type).toBe("response");
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  it("keeps what the one before set, and its directory", async () => {
    const { send, response, folder } = client();

    send({ id: 1, type: "bash", command: "mkdir sub && cd sub && kept=yes", stream: false });
    send({ id: 2, type: "bash", command: 'echo "$kept $PWD"', stream: false });

    expect((await response(2)).data?.output).toBe(`yes ${folder}/sub\n`);
  });

  it("is overtaken by an abort, and each of them has its answer", async () => {
    const { send, response, find } = client();
    send({ id: 1, type: "bash", command: "echo up; sleep 300" });
    await find(({ type }) => type === "bash_chunk");

    send({ id: 2, type: "abort_bash" });

    expect(await response(2)).toMatchObject({ success: true });
    expect((await response(1)).data).toMatchObject({ cancelled: true, output: expect.stringContaining("up\n") });
  });

  it("is ended by the id of its request, and by its own deadline", async () => {
    const { send, response, find } = client();
    send({ id: "long", type: "bash", command: "echo up; sleep 300" });
    await find(({ type }) => type === "bash_chunk");
    send({ id: 2, type: "abort", target: "long" });
    expect((await response("long")).data).toMatchObject({ cancelled: true });

    send({ id: 3, type: "bash", command: "sleep 300", timeoutMs: 100 });
    expect((await response(3)).data).toMatchObject({ timedOut: true });
  });

  it("that cannot start is an answer with a code", async () => {
    const { send, response } = client();

    send({ id: 1, type: "bash", command: "true", env: { "a-b": "1" } });

    expect(await response(1)).toMatchObject({ success: false, code: "PI_INVALID_ENV" });
  });
});

describe("a tool call by RPC", () => {
  it("answers as the tool does, with updates while it runs", async () => {
    const { send, response, messages } = client();

    send({
      id: 1,
      type: "tool",
      tool: "bash",
      params: { command: "for i in 1 2 3; do echo $i; sleep 0.2; done; exit 4" },
    });

    const { data } = await response(1);
    expect(data).toMatchObject({ isError: true, details: { exitCode: 4 } });
    expect(messages.some(({ type, id }) => type === "tool_update" && id === 1)).toBe(true);
  });

  it("waits for the one before, except where it only reads", async () => {
    const { send, response, folder } = client(["--mode", "yolo"]);
    send({ id: 0, type: "tool", tool: "bash", params: { command: "true" } });
    await response(0);

    send({
      id: 1,
      type: "tool",
      tool: "bash",
      params: { command: "touch up; until [ -e go ]; do sleep 0.05; done; echo 1 >> order" },
    });
    send({ id: 3, type: "tool", tool: "bash", params: { command: "echo 3 >> order; cat order" } });
    send({ id: 2, type: "tool", tool: "bash", params: { command: "ls" } });
    await response(2);
    writeFileSync(join(folder, "go"), "");

    expect(JSON.stringify((await response(3)).data)).toContain("1\\n3");
  });

  it("lists the tools with their schemas, and refuses one that is not there", async () => {
    const { send, response } = client();

    send({ id: 1, type: "list_tools" });
    send({ id: 2, type: "tool", tool: "rm" });

    const tools = (await response(1)).data?.["tools"] as { name: string; parameters: object }[];
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["bash", "job", "task", "task_await"]));
    expect(tools.find(({ name }) => name === "bash")?.parameters).toMatchObject({ required: ["command"] });
    expect(await response(2)).toMatchObject({ success: false, code: "PI_RPC_UNKNOWN_TOOL" });
  });

  it("tells of a background job that ended, without being asked", async () => {
    const { send, find, response } = client(["--setting", "async.enabled=true"]);

    send({ id: 1, type: "tool", tool: "bash", params: { command: "sleep 0.2; echo finished", async: true } });

    expect(await response(1)).toMatchObject({ data: { details: { async: { state: "running", jobId: "bg_1" } } } });
    const event = await find(({ type }) => type === "job_event");
    expect(event).toMatchObject({ job: { id: "bg_1", state: "completed" }, text: expect.stringContaining("finished") });
  });

  it("asks the client what the rules do not decide, and follows the answer", async () => {
    const { send, find, response, folder } = client(["--mode", "default"]);

    send({ id: 1, type: "tool", tool: "bash", params: { command: "touch made" } });
    const question = await find(({ type }) => type === "approval_request");
    expect(question).toMatchObject({ command: "touch made", class: "not-readonly" });
    expect(existsSync(join(folder, "made"))).toBe(false);
    send({ id: 2, type: "approval", requestId: question["requestId"], allow: true });
    await response(1);
    expect(existsSync(join(folder, "made"))).toBe(true);

    send({ id: 3, type: "tool", tool: "bash", params: { command: "rm made" } });
    const second = await find(({ type, command }) => type === "approval_request" && command === "rm made");
    send({ type: "approval", requestId: second["requestId"], allow: false, reason: "not today" });
    expect(JSON.stringify((await response(3)).data)).toContain("not today");
    expect(existsSync(join(folder, "made"))).toBe(true);
  });
});

describe("a client that", () => {
  it("sends what is no request gets an error for each line, and may go on", async () => {
    const { send, response, messages, find } = client();
    const lines = [
      "nonsense",
      "[]",
      "null",
      "7",
      '{"type":"bash"}',
      '{"id":{},"type":"bash","command":"x"}',
      '{"id":5,"type":"nope"}',
      '{"id":6,"type":"bash","command":"x","more":1}',
      '{"type":"bash","command":"\\ud800"',
      "{}",
    ];

    for (const line of lines) send(line);
    send("");
    send({ id: "last", type: "bash", command: "echo fine" });

    expect((await response("last")).data?.output).toBe("fine\n");
    await find(() => messages.filter(({ success }) => success === false).length === lines.length);
    const failures = messages.filter(({ success }) => success === false);
    expect(failures.every(({ code }) => code === "PI_RPC_MALFORMED")).toBe(true);
    expect(failures.find(({ id }) => id === 6)).toBeDefined();
  });

  it("names requests that are not there is told so", async () => {
    const { send, response } = client();

    send({ id: 1, type: "abort", target: "none" });
    send({ id: 2, type: "approval", requestId: 12, allow: true });
    send({ id: 3, type: "abort_bash" });

    expect(await response(1)).toMatchObject({ success: false, code: "PI_RPC_UNKNOWN_ID" });
    expect(await response(2)).toMatchObject({ success: false, code: "PI_RPC_UNKNOWN_ID" });
    expect(await response(3)).toMatchObject({ success: true });
  });

  it("aborts in any order, and twice, gets one answer for each request", async () => {
    const { send, response, messages, child, ended } = client();
    for (let id = 0; id < 30; id += 1) {
      send({ id: `b${id}`, type: "bash", command: "sleep 300", stream: false });
      if (id % 3 === 0) send({ id: `a${id}`, type: "abort", target: `b${id}` });
      if (id % 7 === 0) send({ id: `all${id}`, type: "abort_bash" });
    }
    send({ id: "end", type: "abort_bash" });
    await response("end");
    send({ id: "end2", type: "abort_bash" });
    child.stdin.end();

    expect(await ended).toBe(0);
    const answers = messages.filter(({ type }) => type === "response").map(({ id }) => String(id));
    expect(new Set(answers).size).toBe(answers.length);
    expect(answers.filter((id) => id.startsWith("b"))).toHaveLength(30);
  });

  it("ends its input is waited for, until everything has its answer", async () => {
    const { child, ended, messages } = client();

    child.stdin.end('{"id":1,"type":"bash","command":"sleep 0.5; echo late","stream":false}');

    expect(await ended).toBe(0);
    expect(messages.at(-1)).toMatchObject({ id: 1, data: { output: "late\n" } });
  });

  it("goes away in the middle leaves no process", async () => {
    const { send, child, ended, folder } = client();
    send({ id: 1, type: "bash", command: "echo $$ > pid; while :; do echo more; sleep 0.05; done" });
    await until(() => existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8") !== "");
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));

    child.stdout.destroy();
    child.stdin.destroy();

    await ended;
    await until(() => !isAlive(pid));
  });
});

describe("lines of input", () => {
  async function lines(pieces: readonly string[], most?: number): Promise<(string | undefined)[]> {
    async function* input() {
      for (const piece of pieces) yield Buffer.from(piece);
    }
    const found: (string | undefined)[] = [];
    for await (const line of linesOf(input(), most)) found.push(line);
    return found;
  }

  it("may be cut anywhere, and the last one needs no end", async () => {
    expect(await lines(["a", "b\nc", "\n", "\n", "d"])).toEqual(["ab", "c", "", "d"]);
  });

  it("that are too long are dropped, and the next ones are not", async () => {
    expect(await lines(["x".repeat(50), "x".repeat(50), "\nshort\n", "y".repeat(200)], 64)).toEqual([
      undefined,
      "short",
      undefined,
    ]);
  });
});

it("refuses words that are no options of it", async () => {
  const { ended } = client(["--nope"]);

  expect(await ended).toBe(2);
});
