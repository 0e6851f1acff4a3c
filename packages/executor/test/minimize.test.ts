/**
 * When the minimizer's text replaces the output, and when the output stays.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "@pi-bash/contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { createExecutor } from "../src/executor.ts";
import type { NativesPort } from "../src/natives-port.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";

const RAW = "a line of a build that says little\n".repeat(200);

type Minimize = NonNullable<NativesPort["minimizeOutputAsync"]>;
type Answer = Awaited<ReturnType<Minimize>>;

function make(
  minimize: (...asked: Parameters<Minimize>) => Answer,
  settings: SettingsInput = {},
  artifacts?: ArtifactStore,
) {
  const natives = new FakeNatives();
  natives.minimizeOutputAsync = async (...asked) => minimize(...asked);
  natives.behaviour = async () => ended({ text: RAW });
  const ports = { natives, hostEnv: { PATH: "/usr/bin:/bin" }, usesSnapshot: false };
  const executor = createExecutor(settings, artifacts === undefined ? ports : { ...ports, artifacts });
  onTestFinished(() => executor.dispose());
  return { natives, executor };
}

const shorter = () => ({ filter: "make", text: "200 lines\n" });

describe("the minimizer", () => {
  it("replaces the text, keeps the original as an artifact, and points to it", async () => {
    const { executor } = make(shorter);

    const result = await executor.executeBash("make all");

    expect(result.output).toBe(`200 lines\n[raw output: artifact://${result.originalArtifactId}]`);
    expect(result).toMatchObject({
      exitCode: 0,
      totalBytes: RAW.length,
      outputBytes: 10,
      outputLines: 1,
      truncated: false,
    });
    expect(result.minimized).toEqual({ filter: "make", inputBytes: RAW.length, outputBytes: 10 });
    expect(await executor.artifacts.read(result.originalArtifactId ?? "")).toMatchObject({
      text: RAW,
      kind: "bash-original",
    });
  });

  it("is asked with the words of the command, without prefix, and the exit code", async () => {
    const asked: unknown[] = [];
    const { natives, executor } = make(
      (invocation, _, exitCode) => {
        asked.push([invocation.argv, exitCode]);
        return null;
      },
      { shellPrefix: "nice" },
    );
    natives.behaviour = async () => ended({ text: RAW }, { exitCode: 2 });

    const result = await executor.executeBash("cd /tmp && sudo make 'my target'");

    expect(asked).toEqual([[["make", "my target"], 2]]);
    expect(result.output).toBe(RAW);
  });

  it("is asked for an outline of source files only where the setting says so", async () => {
    const asked: unknown[] = [];
    const note = (...[, , , options]: Parameters<Minimize>): null => {
      asked.push(options?.sourceOutlineLevel);
      return null;
    };

    await make(note).executor.executeBash("cat main.ts");
    await make(note, { "shellMinimizer.sourceOutlineLevel": "aggressive" }).executor.executeBash("cat main.ts");

    expect(asked).toEqual([undefined, "aggressive"]);
  });

  it("sees the whole output of a truncated one, and needs no second artifact", async () => {
    const store = new ArtifactStore({ folder: join(scratchFolder(), "a") });
    const seen: number[] = [];
    const { natives, executor } = make(
      (_, output) => {
        seen.push(output.length);
        return shorter();
      },
      {},
      store,
    );
    natives.behaviour = async ({ options }) => {
      writeFileSync(options.sink?.spillPath ?? "", RAW.repeat(20));
      return ended({ text: "the end", truncated: true, spilled: true, totalBytes: RAW.length * 20 });
    };

    const result = await executor.executeBash("make");

    expect(seen).toEqual([RAW.length * 20]);
    expect(result.originalArtifactId).toBe(result.artifactId);
    expect(result.truncated).toBe(false);
    expect((await store.list()).length).toBe(1);
  });

  it("MN-05: keeps the output where the original cannot be saved, without a footer", async () => {
    const folder = join(scratchFolder(), "f");
    writeFileSync(folder, "a file");
    const { executor } = make(shorter, {}, new ArtifactStore({ folder }));

    expect((await executor.executeBash("make")).output).toBe(RAW);
  });

  it("MN-05: keeps the output where the minimized one is not shorter, or the minimizer fails", async () => {
    const longer = make(() => ({ filter: "make", text: `${RAW}more` }));
    const hardly = make(() => ({ filter: "make", text: RAW.slice(10) }));
    const failing = make(() => {
      throw new Error("no");
    });

    expect((await longer.executor.executeBash("make")).output).toBe(RAW);
    expect((await hardly.executor.executeBash("make")).output).toBe(RAW);
    expect((await failing.executor.executeBash("make")).output).toBe(RAW);
  });

  it("MN-04: is not asked about pipes, lists of commands, short output and unfinished commands", async () => {
    let asked = 0;
    const { natives, executor } = make(() => {
      asked += 1;
      return shorter();
    });

    await executor.executeBash("make | tee log");
    await executor.executeBash("make; make");
    natives.behaviour = async () => ended({ text: "short" });
    await executor.executeBash("make");
    natives.behaviour = async () => ended({ text: RAW }, { timedOut: true, exitCode: undefined });
    await executor.executeBash("make");

    expect(asked).toBe(0);
  });

  it("is off where settings or the caller say so, and above the capture limit", async () => {
    const off = make(shorter, { "shellMinimizer.enabled": false });
    const small = make(shorter, { "shellMinimizer.maxCaptureBytes": 100 });
    const on = make(shorter);

    expect((await off.executor.executeBash("make")).output).toBe(RAW);
    expect((await small.executor.executeBash("make")).output).toBe(RAW);
    expect((await on.executor.executeBash("make", { mayMinimize: false })).output).toBe(RAW);
  });
});
