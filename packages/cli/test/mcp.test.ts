/** `pi-bash mcp`, driven by the official client, in both protocols that clients speak today. */
import { existsSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { VersionNegotiationMode } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { isAlive } from "../../../test/support/process.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { background, connect, timeout } from "./support/mcp-client.ts";

/** The process id that a command has written to a file, complete once its line has ended. */
async function pidIn(path: string): Promise<number> {
  await until(`a process id in ${path}`, () => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"));
  return Number(readFileSync(path, "utf8"));
}

describe.each<{ mode: VersionNegotiationMode }>([{ mode: "legacy" }, { mode: { pin: "2026-07-28" } }])(
  "an MCP client of $mode",
  ({ mode }) => {
    it("is offered the tools and runs commands in one shell", async () => {
      const { client, call } = await connect({ mode });

      const { tools } = await client.listTools();
      await call("bash", { command: "word=kept" });
      const answer = await call("bash", { command: 'echo "$word"; exit 3' });

      expect(tools.map(({ name }) => name)).toEqual([
        "bash",
        "task",
        "task_await",
        "task_list",
        "task_send",
        "task_terminate",
      ]);
      expect(tools[0]?.inputSchema).toMatchObject({ type: "object", required: ["command"] });
      expect(tools[0]?.inputSchema.properties).not.toHaveProperty("async");
      expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([
        false,
        false,
        true,
        true,
        false,
        false,
      ]);
      expect(answer).toMatchObject({ isError: true, details: { exitCode: 3 } });
      expect(answer.text).toMatch(/^kept\n(.|\n)*Command exited with code 3$/);
    });

    it("goes on in the folder of its last `cd`, and a task does as well", async () => {
      const { folder, call } = await connect({ mode });

      const moved = await call("bash", { command: "mkdir -p a/b && cd a" });
      const there = await call("bash", { command: "pwd" });
      const task = await call("task", { ...background("pwd; cd b"), run_in_background: false });

      expect(moved.text).toContain(`Now in ${folder}/a.\n`);
      expect(there.text).toMatch(new RegExp(`^${folder}/a\n`));
      expect(task.text).toMatch(new RegExp(`^${folder}/a\n`));
      expect((await call("bash", { command: "pwd" })).text).toMatch(new RegExp(`^${folder}/a/b\n`));
    });

    it("sees the output while the command runs", async () => {
      const { folder, client } = await connect({ mode });
      const seen: string[] = [];
      const numbers: number[] = [];

      const answer = await client.callTool(
        { name: "bash", arguments: { command: "echo first; until [ -e go ]; do sleep 0.02; done; echo second" } },
        {
          timeout,
          onprogress: ({ message, progress }) => {
            numbers.push(progress);
            seen.push(message ?? "");
            // The command waits for this: without a look at its output it would never end.
            if (message?.includes("first")) writeFileSync(join(folder, "go"), "");
          },
        },
      );

      expect(answer.content[0]).toMatchObject({ type: "text", text: expect.stringMatching(/^first\nsecond\n/) });
      expect(seen[0]).toContain("first");
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
    });

    it("ends a command by cancelling its call, and the shell stays", async () => {
      const { folder, call } = await connect({ mode });
      await call("bash", { command: "word=kept" });
      const cancel = new AbortController();

      const cancelled = call("bash", { command: "sleep 300 & echo $! > pid; wait" }, { signal: cancel.signal });
      const outcome = expect(cancelled).rejects.toThrow("enough");
      const pid = await pidIn(join(folder, "pid"));
      cancel.abort("enough");
      await outcome;

      await until("the command is gone", () => !isAlive(pid));
      expect((await call("bash", { command: 'echo "$word"' })).text).toMatch(/^kept\n/);
    });

    it("reads of a timeout, with the output up to then", async () => {
      const { call } = await connect({ mode });

      const answer = await call("bash", { command: "echo before; sleep 300", timeout: 1 });

      expect(answer).toMatchObject({ isError: true, details: { stopped: expect.anything() } });
      expect(answer.text).toMatch(/Command timed out after 1 second(.|\n)*before/);
    });

    it("reads the whole output as a resource, or a part of it", async () => {
      const { client, call } = await connect({ mode });

      const { text } = await call("bash", { command: "seq 1 100000" });
      const uri = /Full: (artifact:[^\]]+)\]/.exec(text)?.[1] ?? "";
      const read = async (address: string) => (await client.readResource({ uri: address })).contents[0];
      const { resources } = await client.listResources();

      expect(uri).toMatch(/^artifact:\/\/\w+$/);
      expect(resources.map((resource) => resource.uri)).toContain(uri);
      const lines = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`);
      expect(await read(uri)).toMatchObject({ uri, mimeType: "text/plain", text: lines.join("") });
      expect(await read(`${uri}:50000-50002`)).toMatchObject({ text: "50000\n50001\n50002\n" });
      expect(await read(`${uri}?tail=1`)).toMatchObject({ text: "100000\n" });
      await expect(read("artifact://unknown")).rejects.toThrow("not found");
      await expect(read("file:///etc/passwd")).rejects.toThrow();
    });

    it("starts a task in the background, reads its output and ends it", async () => {
      const { folder, call } = await connect({ mode });

      const started = await call("task", background("echo $$ > pid; echo out; exec sleep 300"));
      const { taskId } = started.details as { taskId: string };
      const awaited = await call("task_await", { task_ids: [taskId] });
      const pid = await pidIn(join(folder, "pid"));
      const ended = await call("task_terminate", { task_ids: [taskId] });

      expect(awaited.text).toContain("out");
      expect(ended).toMatchObject({ details: { results: [{ status: "terminated", taskId }] } });
      await until("the task is gone", () => !isAlive(pid));
    });
  },
);

it("a client that leaves takes everything that runs with it", async () => {
  const { folder, client, transport, call } = await connect();
  await call("task", background("echo $$ > task; exec sleep 300"));
  const task = await pidIn(join(folder, "task"));
  const running = call("bash", { command: "echo $$ > shell; sleep 300" }).catch((error: unknown) => error);
  const shell = await pidIn(join(folder, "shell"));
  const server = transport.pid ?? 0;
  expect([server, shell, task].map(isAlive)).toEqual([true, true, true]);

  await client.close();

  await until("all are gone", () => ![server, shell, task].some(isAlive));
  expect(await running).toBeInstanceOf(Error);
});

it("a call that the mode does not allow is refused, with the reason", async () => {
  const { folder, call } = await connect({ words: ["--mode", "plan"] });

  const refused = await call("bash", { command: "touch made" });
  const allowed = await call("bash", { command: "pwd" });

  expect(refused.isError).toBe(true);
  expect(refused.text).toContain("`touch` changes files");
  expect(existsSync(join(folder, "made"))).toBe(false);
  expect(allowed.text).toMatch(new RegExp(`^${folder}\n`));
});

describe("a client that cannot be asked, without rules and modes on the command line", () => {
  it("begins in the folder of `--cwd`", async () => {
    const place = realpathSync(scratchFolder());
    const { call } = await connect({ words: ["--cwd", place] });

    expect((await call("bash", { command: "pwd" })).text).toContain(`${place}\n`);
  });

  it("runs what it ran before there was a policy by default", async () => {
    const { call } = await connect();

    const answer = await call("bash", {
      command: "mkdir made && echo kept > made/file && chmod -R 755 made && cat made/file",
      env: { GIT_DIR: "." },
    });

    expect(answer).toMatchObject({ isError: false, text: expect.stringMatching(/^kept\n/) });
  });

  it("is refused what never runs unasked, with the option that allows it, and that option does", async () => {
    const command = "mkdir -m 700 -p open && chmod -R 777 open && stat -c %a open";
    const refused = await (await connect()).call("bash", { command });
    const allowed = await (await connect({ words: ["--allow-unasked", "open-modes"] })).call("bash", { command });
    const task = await (await connect()).call("task", { ...background(command), run_in_background: false });

    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("--allow-unasked open-modes") });
    expect(allowed).toMatchObject({ isError: false, text: expect.stringMatching(/^777\n/) });
    expect(task).toMatchObject({ isError: true, text: expect.stringContaining("--allow-unasked open-modes") });
  });
});

it("a client that takes questions is asked by default, of tasks too, and by no mode less", async () => {
  const asked: string[] = [];
  const { folder, call } = await connect({
    elicit: (message) => {
      asked.push(message);
      return asked.length === 1 ? "accept" : "decline";
    },
  });

  await call("bash", { command: "touch one" });
  await call("bash", { command: "ls" });
  const refused = await call("task", { ...background("touch two"), run_in_background: false });

  expect(asked).toEqual([expect.stringContaining("touch one"), expect.stringContaining("touch two")]);
  expect(existsSync(join(folder, "one"))).toBe(true);
  expect(existsSync(join(folder, "two"))).toBe(false);
  expect(refused.isError).toBe(true);
});
