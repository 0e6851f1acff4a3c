/** One command on a fake runtime: what it is asked for, what its errors cost, and what is added to its result. */

import type { SettingsInput } from "@pi-bash/contract";
import { describe, expect, it, vi } from "vitest";
import type { ExecuteBashOptions } from "../src/command-run.ts";
import { READ_ONLY_ENV } from "../src/read-only/read-only-environment.ts";
import { make } from "./support/executor.ts";
import { ended, type FakeNatives, never } from "./support/fake-natives.ts";
import { until } from "./support/waiting.ts";

/** What the runtime was asked for with the first command. */
async function asked(
  options: ExecuteBashOptions = {},
  settings: SettingsInput = {},
  change: (natives: FakeNatives) => void = () => undefined,
) {
  const { natives, executor } = make(settings);
  change(natives);
  const result = await executor.executeBash("ls", options);
  const run = natives.runs.at(-1);
  if (run === undefined) throw new Error("nothing ran");
  return { natives, result, run };
}
const coreError = (code: string) => Object.assign(new Error(code), { code });

describe("a run is asked for", () => {
  it("its command and deadline, and nothing that was not wanted", async () => {
    const { run } = await asked();
    expect(Object.keys(run.options).sort()).toEqual(
      ["command", "onChunk", "sink", "timeoutMs"].filter((key) => key in run.options).sort(),
    );
    expect(run.options).toMatchObject({ command: "ls", timeoutMs: 300_000 });
    for (const name of ["cwd", "env", "readOnly", "onInputWait", "usage", "concurrency", "signal"]) {
      expect(run.options).not.toHaveProperty(name);
    }
    expect(run.onChunk).toBeUndefined();
  });

  it.each<[string, ExecuteBashOptions, SettingsInput, object]>([
    ["a folder", { cwd: "/" }, {}, { cwd: "/" }],
    ["variables", { env: { A: "1" } }, {}, { env: { A: "1" } }],
    ["a deadline", { timeoutMs: 7_000 }, {}, { timeoutMs: 7_000 }],
    ["a word on input that it waits for", {}, { "bash.onInputWait": "note" }, { onInputWait: "note" }],
    ["what it uses", {}, { "bash.usage": true }, { usage: true }],
    ["its prefix", {}, { shellPrefix: "nice" }, { command: "nice ls" }],
  ])("%s", async (_, options, settings, found) => {
    expect((await asked(options, settings)).run.options).toMatchObject(found);
  });

  it("a signal where there is one, and its output where someone listens", async () => {
    const { signal } = new AbortController();
    const { run } = await asked({ signal, onChunk: () => undefined });
    expect(run.options.signal).toBe(signal);
    expect(run.onChunk).toBeDefined();
  });
});

describe("a command that runs read-only", () => {
  const claims = (natives: FakeNatives): void => {
    natives.readOnly = { available: true, degraded: [] } as unknown as NonNullable<FakeNatives["readOnly"]>;
  };

  it("is asked for so, with variables that keep readers from writing, its own before them", async () => {
    const { run } = await asked({ readOnly: true, env: { LESSHISTFILE: "/x", A: "1" } }, {}, claims);
    expect(run.options.readOnly).toBe(true);
    expect(run.options.env).toEqual({ ...READ_ONLY_ENV, LESSHISTFILE: "/x", A: "1" });
    expect((await asked({ readOnly: false }, {}, claims)).run.options).not.toHaveProperty("readOnly");
  });

  it("does not run where the system does not claim that it can hold one", async () => {
    const { natives, executor } = make();
    await expect(executor.executeBash("ls", { readOnly: true })).rejects.toMatchObject({
      code: "PI_READ_ONLY_UNAVAILABLE",
    });
    expect(natives.runs).toEqual([]);
  });

  it("has refusals that its output tells of in its own part of the result, and only where it failed", async () => {
    const facts = { degraded: [], stateDropped: false };
    const of = (exitCode: number) =>
      asked({ readOnly: true }, {}, (natives) => {
        claims(natives);
        natives.behaviour = async () =>
          ended({ text: "a: '/etc/x': Read-only file system\n" }, { exitCode, readOnly: facts });
      });
    expect((await of(1)).result.readOnly).toMatchObject({
      enforced: true,
      refusals: [{ kind: "read-only-path", path: "/etc/x" }],
    });
    expect((await of(0)).result.readOnly).toMatchObject({ refusals: [] });
  });
});

describe("a command beside another one", () => {
  it("runs in a shell of its own, with the session's options, where no copies are made", async () => {
    const { natives, executor } = make();
    natives.canClone = false;
    natives.behaviour = never;
    const leave = new AbortController();
    void executor.executeBash("sleep", { signal: leave.signal }).catch(() => undefined);
    await until(() => natives.runs.length === 1, "the first command");
    natives.behaviour = async () => ended({ text: "fresh\n" });

    expect((await executor.executeBash("ls", { overlap: "clone" })).output).toBe("fresh\n");
    expect(natives.runs.at(-1)?.shell).toBeUndefined();
    expect(natives.runs.at(-1)?.options).toMatchObject({ command: "ls", ...natives.shells[0]?.options });
    leave.abort();
  });
});

describe("an error of the core", () => {
  it.each([
    "PI_NUL_IN_COMMAND",
    "PI_MISSING_CWD",
    "PI_CWD_NOT_A_DIRECTORY",
    "PI_CWD_DENIED",
    "PI_INVALID_ENV",
    "PI_INVALID_OPTION",
    "PI_SANDBOX_UNAVAILABLE",
    "PI_LIMITS_UNAVAILABLE",
    "PI_READ_ONLY_UNAVAILABLE",
    "PI_SYSTEM",
  ])("%s before anything ran leaves the session as it is", async (code) => {
    const { natives, executor } = make();
    natives.behaviour = () => Promise.reject(coreError(code));
    await expect(executor.executeBash("ls")).rejects.toMatchObject({ code });
    natives.behaviour = async () => ended();

    expect(await executor.executeBash("ls")).not.toHaveProperty("sessionReset");
    expect(natives.shells.length).toBe(1);
  });

  it.each([
    ["with another code", coreError("PI_BROKEN")],
    ["without one", new Error("broken")],
    ["that is not one of the core", "PI_SYSTEM"],
  ])("%s costs the session", async (_, error) => {
    const { natives, executor } = make();
    natives.behaviour = () => Promise.reject(error);
    await expect(executor.executeBash("ls")).rejects.toBe(error);
    natives.behaviour = async () => ended();

    expect(await executor.executeBash("ls")).toMatchObject({ sessionReset: true });
    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([true, false]);
  });

  it("leaves no artifact behind", async () => {
    const { natives, executor } = make();
    natives.behaviour = () => Promise.reject(coreError("PI_SYSTEM"));
    await executor.executeBash("ls").catch(() => undefined);
    expect(await executor.artifacts.list()).toEqual([]);
  });
});

describe("what a sandbox may have refused", () => {
  const report = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] } as const;
  const of = (exitCode: number | undefined, sandbox: object | null = report) =>
    asked({}, {}, (natives) => {
      natives.behaviour = async () => {
        const run = ended(
          { text: "a: '/etc/x': Read-only file system\n" },
          sandbox === null ? {} : { sandbox: sandbox as never },
        );
        return exitCode === undefined ? { ...run, exitCode: undefined, cancelled: true } : { ...run, exitCode };
      };
    });

  it("is known by what a failed command printed", async () => {
    expect((await of(1)).result.sandbox?.refusals).toMatchObject([{ kind: "read-only-path", path: "/etc/x" }]);
  });

  it.each([
    ["succeeded", 0],
    ["was cancelled", undefined],
  ])("is not guessed where the command %s", async (_, exitCode) => {
    expect((await of(exitCode)).result.sandbox).not.toHaveProperty("refusals");
  });

  it("is not guessed where it ran in none", async () => {
    expect((await of(1, null)).result).not.toHaveProperty("sandbox");
  });

  it("comes after what its proxy refused", async () => {
    const networkRefusals = [{ target: "a.example:443", reason: "no rule allows" }];
    const { result } = await of(1, { ...report, networkRefusals });
    expect(result.sandbox?.refusals?.map(({ kind }) => kind)).toEqual(["network", "read-only-path"]);
  });
});

describe("a result", () => {
  it("of a command that was stopped keeps the line that says so when it is cut to its lines", async () => {
    const window = { maxLines: 2 };
    const stopped = await asked({ window }, {}, (natives) => {
      natives.behaviour = async () => ({ ...ended({ text: "1\n2\n3\n" }), exitCode: undefined, cancelled: true });
    });
    expect(stopped.result.output).toBe("[Command cancelled]\n2\n3\n");
    const whole = await asked({ window }, {}, (natives) => {
      natives.behaviour = async () => ended({ text: "1\n2\n3\n" });
    });
    expect(whole.result).toMatchObject({ output: "2\n3\n", truncated: true, truncatedBy: "lines" });
  });

  it("names the ports of what lives on, and asks for none where nothing does", async () => {
    const { natives, executor } = make();
    const listeningPorts = vi.fn(async () => [{ pid: 7, port: 5_173, startedAtMs: 0 }]);
    natives.behaviour = async ({ shell }) => {
      Object.assign(shell ?? {}, { listeningPorts });
      return ended();
    };
    await executor.executeBash("ls");
    expect(listeningPorts).not.toHaveBeenCalled();
    natives.behaviour = async () => ended({}, { survivors: [{ pid: 7, command: "server", startedAtMs: 0 }] });

    expect((await executor.executeBash("server &")).survivors).toMatchObject([{ pid: 7, ports: [5_173] }]);
  });

  it("of a command that was ended by its caller's own deadline is a timeout after that", async () => {
    const { natives, executor } = make();
    natives.behaviour = ({ options }) =>
      new Promise((resolve) => {
        options.signal?.addEventListener("abort", () =>
          resolve({ ...ended({ text: "out\n" }), exitCode: undefined, cancelled: true }),
        );
      });
    const result = await executor.executeBash("sleep", { timeoutMs: 30, onTimeout: () => "kill" });

    expect(result).toMatchObject({
      timedOut: true,
      cancelled: true,
      output: "[Command timed out after 0.03 seconds]\nout\n",
    });
  });
});

describe("a call", () => {
  it.each([
    [0, 1],
    [-5, 1],
    [2.5, 2.5],
    [1e12, 2_147_483_647],
  ])("with a timeout of %d ms has %d", async (timeoutMs, expected) => {
    expect((await asked({ timeoutMs })).run.options.timeoutMs).toBe(expected);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("with a timeout of %d is refused", async (timeoutMs) => {
    const { natives, executor } = make();
    await expect(executor.executeBash("ls", { timeoutMs })).rejects.toThrow(RangeError);
    expect(natives.shells).toEqual([]);
  });

  it("is given its turn and a look at its ports right before it runs", async () => {
    const order: string[] = [];
    const { natives, executor } = make();
    natives.behaviour = async () => {
      order.push("run");
      return ended();
    };
    await executor.executeBash("ls", { onTurn: () => order.push("turn"), onPorts: () => void order.push("ports") });

    expect(order).toEqual(["turn", "ports", "run"]);
  });

  it("for itself alone has its session closed after it", async () => {
    const { natives, executor } = make();
    await executor.executeBash("ls", { sessionKey: "job", isEphemeral: true });
    await until(() => natives.shells[0]?.isClosed === true, "the session to be closed");
    await executor.executeBash("ls", { sessionKey: "job" });

    expect(natives.shells.map((shell) => shell.isClosed)).toEqual([true, false]);
  });
});
