/** `pi-bash rpc`: requests and answers by lines. Clients that do not behave are in `rpc-hostile.test.ts`. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { meet } from "../../../test/support/rendezvous.ts";
import { type InputLine, linesOf } from "../src/rpc/line-input.ts";
import { client } from "./rpc-client.ts";

it("calls by RPC that only read run beside each other", async () => {
  const { send, response, folder } = client([]);

  const answers = await meet(folder, (command) => {
    send({ id: command, type: "tool", tool: "bash", params: { command } });
    return response(command);
  });

  expect(answers.map(({ data }) => JSON.stringify(data))).toEqual([
    expect.stringContaining("left met\\n"),
    expect.stringContaining("right met\\n"),
  ]);
});

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

  it("shares its folder with the calls of tools, unless a setting keeps them apart", async () => {
    const together = client();
    together.send({ id: 1, type: "bash", command: "mkdir -p a/b && cd a", stream: false });
    await together.response(1);
    together.send({ id: 2, type: "tool", tool: "bash", params: { command: "pwd; cd b" } });
    await together.response(2);
    together.send({ id: 3, type: "bash", command: "pwd", stream: false });
    const apart = client(["--mode", "yolo", "--setting", "bash.directoryPersists=false"]);
    apart.send({ id: 1, type: "tool", tool: "bash", params: { command: "cd /; true" } });
    await apart.response(1);
    apart.send({ id: 2, type: "tool", tool: "bash", params: { command: "pwd" } });

    expect(JSON.stringify((await together.response(2)).data)).toContain(`${together.folder}/a\\n`);
    expect((await together.response(3)).data?.output).toBe(`${together.folder}/a/b\n`);
    expect(JSON.stringify((await apart.response(2)).data)).toContain(`${apart.folder}\\n`);
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

  it("answers with what the tool throws, as an error of the call", async () => {
    const { send, response } = client();

    send({ id: 1, type: "tool", tool: "bash", params: { command: "true", cwd: "nowhere" } });

    const { success, data } = await response(1);
    expect([success, data?.["isError"]]).toEqual([true, true]);
    expect(JSON.stringify(data?.["content"])).toContain("Working directory does not exist");
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
    const { send, find, response } = client(["--mode", "yolo", "--setting", "async.enabled=true"]);

    send({ id: 1, type: "tool", tool: "bash", params: { command: "sleep 0.2; echo finished", async: true } });

    expect(await response(1)).toMatchObject({ data: { details: { async: { state: "running", jobId: "bg_1" } } } });
    const event = await find(({ type }) => type === "job_event");
    expect(event).toMatchObject({ job: { id: "bg_1", state: "completed" }, text: expect.stringContaining("finished") });
  });

  it("asks the client what the rules do not decide, and follows the answer", async () => {
    const { send, find, response, folder } = client([]);

    send({ id: 1, type: "tool", tool: "bash", params: { command: "touch made" } });
    const question = await find(({ type }) => type === "approval_request");
    expect(question).toMatchObject({ command: "touch made", display: "touch made", class: "not-readonly" });
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

  it("shows the client the command with nothing hidden in it", async () => {
    const { send, find, response } = client([]);
    const command = `touch a\u202e${"\n".repeat(600)}touch b`;

    send({ id: 1, type: "tool", tool: "bash", params: { command } });
    const question = await find(({ type }) => type === "approval_request");
    send({ type: "approval", requestId: question["requestId"], allow: false });

    expect(question).toMatchObject({ command, display: "touch a\\u{202e}\n… 599 empty lines …\ntouch b" });
    await response(1);
  });

  it("waits for an answer as long as is set", async () => {
    const { send, response } = client(["--setting", "bash.approvalTimeoutMs=200"]);

    send({ id: 1, type: "tool", tool: "bash", params: { command: "touch made" } });

    expect(JSON.stringify((await response(1)).data)).toContain("no one answered");
  });
});

describe("lines of input", () => {
  async function lines(pieces: readonly (string | Buffer)[], most?: number): Promise<InputLine[]> {
    async function* input() {
      for (const piece of pieces) yield typeof piece === "string" ? Buffer.from(piece) : piece;
    }
    const found: InputLine[] = [];
    for await (const line of linesOf(input(), most)) found.push(line);
    return found;
  }

  it("may be cut anywhere, and the last one needs no end", async () => {
    expect(await lines(["a", "b\nc", "\n", "\n", "d"])).toEqual(["ab", "c", "", "d"]);
  });

  it("that are no UTF-8 are refused, and characters may be cut anywhere", async () => {
    const euro = Buffer.from("€");
    expect(await lines([euro.subarray(0, 1), euro.subarray(1), "\n", euro.subarray(0, 2), "\n"])).toEqual([
      "€",
      { problem: "the line is not UTF-8" },
    ]);
  });

  it("that are too long are dropped, and the next ones are not", async () => {
    const tooLong = { problem: "the line is too long" };
    expect(await lines(["x".repeat(50), "x".repeat(50), "\nshort\n", "y".repeat(200)], 64)).toEqual([
      tooLong,
      "short",
      tooLong,
    ]);
  });
});

it("refuses words that are no options of it", async () => {
  const { ended } = client(["--nope"]);

  expect(await ended).toBe(2);
});
