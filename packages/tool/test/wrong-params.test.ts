/** Wrong parameters, of every tool alike: the model reads which field, what it is to be, and what to write instead. */
import { expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { createJobTool } from "../src/job-tool.ts";
import { createLegacyTools } from "../src/tasks/legacy-tools.ts";
import { createTaskTools } from "../src/tasks/task-tools.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { thrown } from "./support/session.ts";
import { taskScene } from "./support/tasks.ts";

/** Every tool there is, older ones as well, by its name. */
async function everyTool() {
  const { session } = await taskScene();
  const { bash_output, bash_background_list, bash_background_terminate } = createLegacyTools(session);
  return {
    bash: createBashTool(session),
    job: createJobTool(session),
    ...createTaskTools(session),
    bash_output,
    bash_background_list,
    bash_background_terminate,
  };
}

type ToolName = keyof Awaited<ReturnType<typeof everyTool>>;

it.each<[ToolName, unknown, string]>([
  [
    "bash",
    { command: ["ls"], timeout: "5" },
    "`command` is a string, not an array; `timeout` is a number, not a string (write 5 without quotes)",
  ],
  ["bash", { command: "x", env: { A: 1 } }, '`env.A` is a string, not a number (write "1")'],
  [
    "bash",
    { command: "x", asynch: true },
    "there is no field `asynch`; there are `command`, `description`, `env`, `timeout`, `cwd`",
  ],
  ["job", { poll: "bg_1" }, '`poll` is an array, not a string (write ["bg_1"])'],
  ["task", { ...{ kind: "bash", script: "x", display_name: "x" } }, "`timeout_secs` is missing: it is a number"],
  ["task_await", { task_ids: "bash:bg_1" }, '`task_ids` is an array, not a string (write ["bash:bg_1"])'],
  ["task_list", { statuses: "running" }, '`statuses` is an array, not a string (write ["running"])'],
  ["task_terminate", {}, "`task_ids` is missing: it is an array"],
  ["bash_output", { process_id: 1 }, '`process_id` is a string, not a number (write "1")'],
  ["bash_background_list", { all: true }, "there is no field `all`; there are none"],
  ["bash_background_terminate", {}, "`process_id` is missing: it is a string"],
])("%s tells what is wrong with %j", async (name, params, problem) => {
  const { [name]: tool } = await everyTool();

  const error = await thrown(tool.execute("call", params));

  expect(error).toBeInstanceOf(ToolError);
  expect(error.message).toBe(`Invalid ${name} parameters: ${problem}`);
});

it("parameters that cannot be read, or have no end, are refused by every tool in one short line", async () => {
  const throws = () => {
    throw new TypeError("trap");
  };
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const hostile: unknown[] = [
    new Proxy(
      {},
      { get: throws, ownKeys: throws, getPrototypeOf: throws, has: throws, getOwnPropertyDescriptor: throws },
    ),
    revoked.proxy,
    Symbol("params"),
    cyclic,
    { "\x1b[2J\u2028": cyclic, ["k".repeat(10_000_000)]: 1 },
    "x".repeat(10_000_000),
  ];

  for (const [name, tool] of Object.entries(await everyTool())) {
    for (const params of hostile) {
      const error = await thrown(tool.execute("call", params));
      expect(error).toBeInstanceOf(ToolError);
      expect(error.message).toMatch(new RegExp(`^Invalid ${name} parameters: [^\\p{C}\\p{Zl}]{10,600}$`, "u"));
    }
  }
});

it("a signal that tells no one is refused by every tool, and one that is aborted ends the call", async () => {
  const deaf = {
    aborted: false,
    removeEventListener: () => undefined,
    addEventListener: () => {
      throw new TypeError("deaf");
    },
  };
  const closed = {
    get aborted() {
      throw new TypeError("closed");
    },
  };

  for (const tool of Object.values(await everyTool())) {
    for (const signal of ["abort", {}, deaf, closed]) {
      const error = await thrown(tool.execute("call", {}, signal as unknown as AbortSignal));
      expect(error.message).toMatch(/^The call's signal /);
    }
    expect(await thrown(tool.execute("call", {}, AbortSignal.abort()))).toBeInstanceOf(ToolAbortError);
  }
});

it("settings that cannot be read are notified of by whatever a tool says of itself", async () => {
  const { session } = await taskScene();
  const settings = {
    get shellPath(): string {
      throw new TypeError("closed");
    },
  };
  const tool = createBashTool({ ...session, settings });

  expect(() => tool.description).toThrow(ToolError);
  expect(() => tool.parameters).toThrow("Wrong settings: `settings` cannot be read");
  await expect(tool.execute("call", { command: "true" })).rejects.toBeInstanceOf(ToolError);
});

it("the name of a variable that is none is reported in one short line", async () => {
  const { bash } = await everyTool();

  for (const name of ["A\nB\x1b[2J", `A ${"x".repeat(10_000_000)}`]) {
    const { message } = await thrown(bash.execute("call", { command: "true", env: { [name]: "x" } }));
    expect(message).toMatch(/^Invalid bash env name: A[^\p{C}]{5,60}$/u);
  }
});
