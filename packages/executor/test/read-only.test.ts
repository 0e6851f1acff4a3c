/** Read-only commands of an executor: what the backend is asked for, what results say, and where nothing may run. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { ReadOnlyFacts } from "../src/natives-port.ts";
import { withRecognized } from "../src/read-only/read-only-result.ts";
import { make } from "./support/executor.ts";
import { ended, type FakeNatives } from "./support/fake-natives.ts";

const FACTS: ReadOnlyFacts = { degraded: [], stateDropped: false };

/** An executor whose backend says that it can confine, and does what the facts say. */
function confining(facts: Partial<ReadOnlyFacts> = {}, output = "", exitCode = 0) {
  const made = make();
  made.natives.readOnly = { available: true, degraded: [] };
  made.natives.behaviour = async ({ options }) =>
    ended({ text: output }, { exitCode, ...(options.readOnly ? { readOnly: { ...FACTS, ...facts } } : {}) });
  return made;
}

function failing(natives: FakeNatives, code: string): void {
  natives.behaviour = () => Promise.reject(Object.assign(new Error("no"), { code, reason: "the proof failed" }));
}

describe("a read-only command", () => {
  it("is asked for with variables that keep readers from writing, below those of the call", async () => {
    const { natives, executor } = confining();

    await executor.executeBash("git status", { readOnly: true, env: { LESSHISTFILE: "mine", A: "b" } });
    await executor.executeBash("git status", { env: { A: "b" } });

    const [held, plain] = natives.runs.map(({ options }) => options);
    expect(held).toMatchObject({ readOnly: true, env: { GIT_OPTIONAL_LOCKS: "0", LESSHISTFILE: "mine", A: "b" } });
    expect(plain?.env).toEqual({ A: "b" });
    expect(plain).not.toHaveProperty("readOnly");
  });

  it("runs in a copy, confined, while another one has the session", async () => {
    const { natives, executor } = confining();
    const held: { end: () => void } = { end: () => undefined };
    const quick = natives.behaviour;
    natives.behaviour = (run) =>
      run.options.command === "long"
        ? new Promise((resolve) => {
            held.end = () => resolve(ended());
          })
        : quick(run);
    const long = executor.executeBash("long");

    await executor.executeBash("ls", { readOnly: true, overlap: "clone" });
    held.end();
    await long;

    expect(natives.runs.at(-1)?.options).toMatchObject({ command: "ls", readOnly: true, concurrency: "clone" });
  });

  it("has what the core reported in its result", async () => {
    const { executor } = confining({ degraded: ["signal"], stateDropped: true });

    const { readOnly } = await executor.executeBash("x", { readOnly: true });

    expect(readOnly).toEqual({ enforced: true, degraded: ["signal"], stateDropped: true, refusals: [] });
  });

  it("has what the output of a failed command tells beside it, each once", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "mine"), "");
    const text =
      "rm: cannot remove 'mine': Permission denied\nchmod: changing permissions of 'mine': Operation not permitted\n";

    const confined = await confining({}, text, 1).executor.executeBash("x", { readOnly: true, cwd: folder });
    const fine = await confining({}, text, 0).executor.executeBash("x", { readOnly: true, cwd: folder });

    expect(confined.readOnly).toMatchObject({
      refusals: [{ kind: "read-only-path", path: "mine" }, { kind: "file-metadata" }],
    });
    expect(fine.readOnly).toMatchObject({ refusals: [] });
  });
});

describe("what a message tells of a read-only run", () => {
  const outcome = { enforced: true as const, degraded: [], stateDropped: false, refusals: [] };
  const kinds = async (line: string, cwd = "/") =>
    (await withRecognized(outcome, `${line}\n`, cwd)).refusals.map(({ kind }) => kind);

  it("is no refusal where the host is denied the same, or the thing is not there", async () => {
    expect(await kinds("cat: /nowhere/deep/file: Permission denied")).toEqual([]);
    expect(await kinds("bash: kill: (999999) - No such process")).toEqual([]);
    expect(await kinds("cat: missing: No such file or directory")).toEqual([]);
  });

  it("is one where the host could write there, and where the network or a process is out of reach", async () => {
    expect(await kinds("touch: cannot touch 'new': Permission denied", scratchFolder())).toEqual(["read-only-path"]);
    expect(await kinds("curl: (6) Could not resolve host: example.com")).toEqual(["network"]);
    expect(await kinds("bash: kill: (1) - Operation not permitted")).toEqual(["process"]);
    expect(await kinds("socket: Address family not supported by protocol")).toEqual(["network"]);
  });
});

describe("where nothing can be confined", () => {
  it("a read-only command does not run, and the reason is said with a code", async () => {
    const { natives, executor } = make();
    const error = { code: "PI_READ_ONLY_UNAVAILABLE", reason: "this backend cannot confine a command" };

    await expect(executor.executeBash("rm x", { readOnly: true })).rejects.toMatchObject(error);
    natives.readOnly = { available: false, reason: "there is no Landlock", degraded: [] };
    await expect(executor.executeBash("rm x", { readOnly: true })).rejects.toMatchObject({
      reason: "there is no Landlock",
    });
    natives.readOnly = { available: true, degraded: [] };
    natives.canClone = false;
    await expect(executor.executeBash("rm x", { readOnly: true })).rejects.toMatchObject(error);
    expect(natives.runs).toEqual([]);
    expect(natives.shells).toEqual([]);
  });

  it("the executor says so without starting a shell", async () => {
    const { natives, executor } = make();

    expect(await executor.confinement()).toEqual({ available: false, reason: "this backend cannot confine a command" });
    expect(natives.shells).toEqual([]);
  });
});

describe("the proof", () => {
  it("is made once, in a shell of its own that is closed", async () => {
    const { natives, executor } = confining({ degraded: ["signal"] });

    expect(await executor.confinement()).toEqual({ available: true, degraded: ["signal"] });
    await executor.confinement();

    expect(natives.shells.map(({ isClosed }) => isClosed)).toEqual([true]);
    expect(natives.runs.map(({ options }) => options.command)).toEqual([":"]);
  });

  it("that fails counts, whatever the system claims", async () => {
    const { natives, executor } = confining();
    failing(natives, "PI_READ_ONLY_UNAVAILABLE");

    expect(await executor.confinement()).toEqual({ available: false, reason: "the proof failed" });
  });

  it("that could not be made is made again", async () => {
    const { natives, executor } = confining();
    const works = natives.behaviour;
    failing(natives, "PI_SYSTEM");

    expect(await executor.confinement()).toEqual({ available: false, reason: "no" });
    natives.behaviour = works;
    expect(await executor.confinement()).toMatchObject({ available: true });
  });

  it("is taken back by a command that could not run read-only, which leaves the session as it is", async () => {
    const { natives, executor } = confining();
    await executor.executeBash("true", { sessionKey: "a" });
    expect(await executor.confinement()).toMatchObject({ available: true });
    const works = natives.behaviour;
    failing(natives, "PI_READ_ONLY_UNAVAILABLE");

    await expect(executor.executeBash("ls", { readOnly: true, sessionKey: "a" })).rejects.toMatchObject({
      code: "PI_READ_ONLY_UNAVAILABLE",
    });

    expect(await executor.confinement()).toEqual({ available: false, reason: "the proof failed" });
    natives.behaviour = works;
    expect((await executor.executeBash("true", { sessionKey: "a" })).sessionReset).toBeUndefined();
  });
});
