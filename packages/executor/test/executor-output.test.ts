/**
 * What becomes of a command's output: artifacts, listeners; and the commands that a person types.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { UserShell } from "../src/user-shell.ts";
import { make } from "./support/executor.ts";
import { ended } from "./support/fake-natives.ts";
import { until } from "./support/waiting.ts";

describe("artifacts of a run", () => {
  it("are named when the file is whole, and otherwise forgotten", async () => {
    const store = new ArtifactStore({ folder: join(scratchFolder(), "a") });
    const { natives, executor } = make({}, { artifacts: store });
    natives.behaviour = async ({ options }) => {
      writeFileSync(options.sink?.spillPath ?? "", "all of it");
      return ended({ text: "it", truncated: true, spilled: true });
    };
    const long = await executor.executeBash("x");
    natives.behaviour = async () => ended({ text: "short" });
    const short = await executor.executeBash("x");

    expect((await store.read(`artifact://${long.artifactId}`)).text).toBe("all of it");
    expect(short).not.toHaveProperty("artifactId");
    expect((await store.list()).length).toBe(1);
  });

  it("VO-06: a file that could not be made is an error in the result, and no id", async () => {
    const { natives, executor } = make();
    natives.behaviour = async () => ended({ text: "end", truncated: true, spillError: "cannot create `x`: no space" });

    const result = await executor.executeBash("x");

    expect(result).toMatchObject({ exitCode: 0, truncated: true, artifactError: "cannot create `x`: no space" });
    expect(result).not.toHaveProperty("artifactId");
  });

  it("VO-01: a file that its limit cut short is not the artifact, but its beginning can be read", async () => {
    const { natives, executor } = make();
    natives.behaviour = async ({ options }) => {
      writeFileSync(options.sink?.spillPath ?? "", "beginning");
      return ended({ text: "end", truncated: true, spillError: "file has the first 9 bytes" });
    };

    const result = await executor.executeBash("x");

    expect(result).not.toHaveProperty("artifactId");
    const address = /artifact:\/\/\w+$/.exec(result.artifactError ?? "")?.[0] ?? "";
    expect((await executor.artifacts.read(address)).text).toBe("beginning");
  });

  it("VO-06: without a folder the command runs and the result says why there is no artifact", async () => {
    const folder = join(scratchFolder(), "f");
    writeFileSync(folder, "a file");
    const { natives, executor } = make({}, { artifacts: new ArtifactStore({ folder }) });
    natives.behaviour = async ({ options }) => ended({ text: String(options.sink?.spillPath), truncated: true });

    const result = await executor.executeBash("x");

    expect(result.output).toBe("undefined");
    expect(result.artifactError).toContain("artifact folder cannot be used");
  });

  it("are the caller's where it brings its own, and none where it wants none", async () => {
    const { natives, executor } = make();
    const path = join(scratchFolder(), "mine");
    natives.behaviour = async () => ended({ text: "x", truncated: true, spilled: true });

    const own = await executor.executeBash("x", { artifact: { id: "mine", path } });
    await executor.executeBash("x", { artifact: false });

    expect(own.artifactId).toBe("mine");
    expect(natives.runs[0]?.options.sink?.spillPath).toBe(path);
    expect(natives.runs[1]?.options.sink).not.toHaveProperty("spillPath");
  });
});

describe("listeners", () => {
  it("get chunks and updates, and one that throws does not hurt the run", async () => {
    const { natives, executor } = make();
    natives.behaviour = async ({ options, onChunk }) => {
      onChunk?.(null, "a");
      onChunk?.(null, "b");
      options.sink?.onUpdate?.("ab", { bytes: 2, lines: 1 });
      return ended({ text: "ab" });
    };
    const chunks: string[] = [];
    const updates: string[] = [];

    await executor.executeBash("x", { onChunk: (chunk) => chunks.push(chunk), onUpdate: (tail) => updates.push(tail) });
    const result = await executor.executeBash("x", {
      onChunk: () => {
        throw new Error("mine");
      },
    });

    expect(chunks.join("")).toBe("ab");
    expect(updates).toEqual(["ab"]);
    expect(result.exitCode).toBe(0);
  });
});

describe("commands of a person", () => {
  it("run as they are written, in the agent's session, and the directory follows", async () => {
    const { natives, executor } = make();
    natives.behaviour = async () => ended({}, { workingDir: "/usr" });
    const shell = new UserShell({ executor, sessionId: "s", cwd: "/tmp" });

    await shell.executeBash("cd /usr && ls | head -3 2>&1");
    await shell.executeBash("pwd");
    await executor.executeBash("x", { sessionKey: "s" });

    expect(natives.runs.map((run) => run.options.command)).toEqual(["cd /usr && ls | head -3 2>&1", "pwd", "x"]);
    expect(natives.runs.map((run) => run.options.cwd)).toEqual(["/tmp", "/usr", undefined]);
    expect(natives.shells.length).toBe(1);
  });

  it("are all cancelled by an abort", async () => {
    const { natives, executor } = make();
    natives.behaviour = ({ options }) =>
      new Promise((resolve) => {
        options.signal?.addEventListener("abort", () => resolve(ended({}, { cancelled: true, exitCode: undefined })));
      });
    const shell = new UserShell({ executor, sessionId: "s" });
    const running = [shell.executeBash("a"), shell.executeBash("b")];
    await until(() => natives.runs.length === 1, "the first to run");
    expect(shell.isRunning).toBe(true);

    shell.abort();

    expect((await Promise.all(running)).map((result) => result.cancelled)).toEqual([true, true]);
    expect(shell.isRunning).toBe(false);
  });
});
