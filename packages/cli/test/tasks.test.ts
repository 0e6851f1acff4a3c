/** `pi-bash tasks`: several calls of the task tools in one process, one answer a line, and nothing left behind. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { startProgram } from "./built-program.ts";

interface Answer {
  content: { text: string }[];
  details: { taskId?: string; status?: string; results?: object[]; tasks?: object[] };
  isError?: boolean;
}

function host(words: readonly string[] = []) {
  const { child, folder, ended } = startProgram(["tasks", ...words]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    folder,
    ended,
    send: (line: string): void => void child.stdin.write(`${line}\n`),
    next: async (): Promise<Answer> => JSON.parse((await lines.next()).value ?? "null") as Answer,
    end: () => child.stdin.end(),
  };
}

const bash = (script: string, more: object = {}) =>
  JSON.stringify({ tool: "task", params: { kind: "bash", script, timeout_secs: 60, display_name: "x", ...more } });

it("a task that one call starts is awaited and ended by later ones", async () => {
  const { send, next, end, ended } = host();

  send(bash("echo out; sleep 300", { run_in_background: true }));
  const { taskId } = (await next()).details;
  send(JSON.stringify({ tool: "task_await", params: { task_ids: [taskId] } }));
  send(JSON.stringify({ tool: "task_list" }));
  send(JSON.stringify({ tool: "task_terminate", params: { task_ids: [taskId] } }));
  const answers = [await next(), await next(), await next()];
  end();

  expect(answers.map(({ details }) => details.results ?? details.tasks)).toMatchObject([
    [{ status: "running", output: "out\n" }],
    [{ taskId, kind: "bash" }],
    [{ status: "terminated" }],
  ]);
  expect(await ended).toBe(0);
});

it("what still runs ends with the input", async () => {
  const { send, next, end, ended, folder } = host();
  send(bash("echo $$ > pid; sleep 300", { run_in_background: true }));
  await next();
  const written = (): string => (existsSync(join(folder, "pid")) ? readFileSync(join(folder, "pid"), "utf8") : "");
  await until("the command has said its pid", () => written().endsWith("\n"));
  const pid = Number(written());

  end();

  expect(await ended).toBe(0);
  expect(() => process.kill(pid, 0)).toThrowError("ESRCH");
}, 60_000);

it("a call that cannot be made is answered, and the next one is made", async () => {
  const { send, next, end, ended } = host();

  for (const line of ["{", "[]", '{"tool":"rm"}', '{"tool":"task","params":{"script":"true"}}', bash("echo ok")]) {
    send(line);
  }
  const answers = [await next(), await next(), await next(), await next(), await next()];
  end();

  expect(answers.map(({ content, isError }) => [isError, content[0]?.text.split("\n")[0]?.slice(0, 40)])).toEqual([
    [true, expect.stringContaining('The line is not valid JSON; send `{"tool')],
    [true, 'A call is `{"tool": NAME, "params": {…}}'],
    [true, expect.stringMatching(/^There is no tool `rm`; there are bash, /)],
    [true, expect.stringMatching(/^Invalid task parameters/)],
    [undefined, "ok"],
  ]);
  expect(await ended).toBe(0);
});

it("a command beside it is a wrong command line", async () => {
  const { ended } = host(["echo x"]);

  expect(await ended).toBe(2);
});
