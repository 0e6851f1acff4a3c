/** Misspelt options in JavaScript: each surface refuses them by name before anything is started. */
import { logTools } from "@pi-bash/adapters/log";
import { openAiAgentsTools } from "@pi-bash/adapters/openai-agents";
import { UnknownOptionError } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";
import { executeShell, OutputSink, PtySession, Shell, ShellError } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import { createBashTool, createTaskTools } from "@pi-bash/tool";
import { describe, expect, it, onTestFinished } from "vitest";

/** As JavaScript calls it. */
// biome-ignore lint/suspicious/noExplicitAny: what is tried is what the types refuse
const untyped = (value: unknown): any => value;

describe("the engine refuses what is no option", () => {
  const shell = new Shell();

  it.each([
    ["Shell", async () => new Shell(untyped({ cdw: "/" })), "option `cdw` does not exist; the nearest is `cwd`"],
    [
      "run",
      () => shell.run(untyped({ command: ":", timeout: 5 })),
      "option `timeout` does not exist; the nearest is `timeoutMs`",
    ],
    [
      "sink",
      () => shell.run(untyped({ command: ":", sink: { maxByte: 5 } })),
      "option `sink.maxByte` does not exist; the nearest is `maxBytes`",
    ],
    ["executeShell", () => executeShell(untyped({ command: ":", nope: 1 })), "option `nope` does not exist"],
    [
      "limits",
      () => executeShell(untyped({ command: ":", limits: { openFile: 9 } })),
      "option `limits.openFile` does not exist; the nearest is `openFiles`",
    ],
    [
      "sandbox",
      () => executeShell(untyped({ command: ":", sandbox: { mode: "read-only", netwrok: true } })),
      "option `sandbox.netwrok` does not exist; the nearest is `network`",
    ],
    [
      "PtySession",
      () => new PtySession().start(untyped({ command: ":", clos: 80 })),
      "option `clos` does not exist; the nearest is `cols`",
    ],
    [
      "OutputSink",
      async () => new OutputSink(untyped({ headByte: 1 })),
      "option `headByte` does not exist; the nearest is `headBytes`",
    ],
  ] as const)("in %s", async (_, start, message) => {
    const refusal = expect(start()).rejects;
    await refusal.toThrow(message);
    await expect(start()).rejects.toBeInstanceOf(ShellError);
  });
});

describe("the packages refuse what is no option", () => {
  const executor = createExecutor();
  const bash = createBashTool({ cwd: "/", executor });

  it.each([
    ["createExecutor", () => createExecutor(untyped({ nope: 1 })), "`createExecutor` has no option `nope`"],
    [
      "its settings",
      () => createExecutor(untyped({ "bash.ptyEscap": "kill" })),
      "`createExecutor` has no option `bash.ptyEscap`; the nearest is `bash.ptyEscape`",
    ],
    [
      "its ports",
      () => createExecutor({}, untyped({ artefacts: 1 })),
      "`createExecutor` has no option `artefacts`; the nearest is `artifacts`",
    ],
    [
      "createPolicy",
      () => createPolicy(untyped({ dney: [] })),
      "`createPolicy` has no option `dney`; the nearest is `deny`",
    ],
    [
      "createBashTool",
      () => createBashTool(untyped({ cwd: "/", executor, polciy: {} })),
      "`createBashTool` has no option `polciy`; the nearest is `policy`",
    ],
    [
      "createTaskTools",
      () => createTaskTools(untyped({ cwd: "/", executor, setings: {} })),
      "`createTaskTools` has no option `setings`; the nearest is `settings`",
    ],
    [
      "logTools",
      () => logTools([bash], untyped({ logger: {}, withParam: true })),
      "`logTools` has no option `withParam`; the nearest is `withParams`",
    ],
    [
      "openAiAgentsTools",
      () => openAiAgentsTools([bash], untyped({ onUpdated: () => {} })),
      "`openAiAgentsTools` has no option `onUpdated`; the nearest is `onUpdate`",
    ],
  ] as const)("in %s", (_, make, message) => {
    expect(make).toThrow(message);
    expect(make).toThrow(UnknownOptionError);
  });

  it("in a command of an executor, which is then not started", async () => {
    onTestFinished(() => executor.dispose());

    await expect(executor.executeBash("exit 1", untyped({ timeoutMS: 5 }))).rejects.toThrow(
      "`executeBash` has no option `timeoutMS`; the nearest is `timeoutMs`",
    );
    expect(executor.stats().sessions).toBe(0);
  });

  it("and take a session that has more in it", () => {
    expect(createBashTool(untyped({ cwd: "/", executor, database: {} })).name).toBe("bash");
  });
});
