/**
 * The console on real pseudoterminals: what a person sees and types, and what of it becomes the text for a model.
 */
import { describe, expect, it } from "vitest";
import { isAlive } from "../../../test/support/process.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { type ConsoleRequest, createConsole } from "../src/console/console.ts";
import type { ConsoleControls, ConsoleView, PtyDevice, PtyEnd, PtyStart } from "../src/console/console-port.ts";
import { until } from "./support/waiting.ts";

const ENV = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TERM: "xterm-256color", LANG: "C.UTF-8" };

function request(command: string, more: Partial<ConsoleRequest> = {}): ConsoleRequest {
  return {
    command,
    shell: "/bin/bash",
    cwd: "/",
    env: ENV,
    timeoutMs: 60_000,
    signal: undefined,
    artifact: undefined,
    title: "Console",
    ui: undefined,
    ...more,
  };
}

/** A window that keeps what it is shown. */
function recording(more: Partial<ConsoleView> = {}) {
  const seen: { raw: string; ends: PtyEnd[]; controls: ConsoleControls | undefined; ui: unknown } = {
    raw: "",
    ends: [],
    controls: undefined,
    ui: undefined,
  };
  const openView = (controls: ConsoleControls, ui: unknown): ConsoleView => {
    seen.controls = controls;
    seen.ui = ui;
    return {
      onData: (chunk) => {
        seen.raw += chunk;
      },
      onEnd: (end) => seen.ends.push(end),
      ...more,
    };
  };
  return { seen, openView };
}

/** A terminal that is not of this machine: it shows a line, and then ends so. */
function replaced(end: () => Promise<PtyEnd>) {
  const started: PtyStart[] = [];
  const { seen, openView } = recording();
  const createPty = (): PtyDevice => ({
    start: async (options, onChunk) => {
      started.push(options);
      await onChunk(null, "shown\r\n");
      return end();
    },
    write: () => true,
    resize: () => undefined,
    kill: () => undefined,
  });
  const run = (more: Partial<ConsoleRequest> = {}) =>
    createConsole({ openView }).run(request("true", { createPty, ...more }));
  return { run, device: { started }, ends: seen.ends };
}

describe("the console", () => {
  it("answers with the scrollback and the last screen as plain text", async () => {
    const { seen, openView } = recording();

    const result = await createConsole({ openView }).run(
      request(String.raw`test -t 1 && echo terminal; printf '10%%\r50%%\r100%%\n'; printf '\e[31mred\e[0m\n'; exit 4`),
    );

    expect(result).toMatchObject({
      output: "terminal\n100%\nred\n",
      exitCode: 4,
      cancelled: false,
      truncated: false,
      totalLines: 3,
    });
    expect(seen.raw).toContain("\u001b[31mred");
    expect(seen.ends).toEqual([{ exitCode: 4, cancelled: false, timedOut: false }]);
  });

  it("gives the program the environment it was given, and nothing of the host's", async () => {
    const result = await createConsole().run(
      request("env | cut -d= -f1 | sort | tr '\\n' ' '", { env: { ...ENV, A: "b" } }),
    );

    const names = result.output.trim().split(/\s+/);
    expect(names).toContain("A");
    expect(
      names.filter(
        (name) => !["A", "LANG", "LINES", "COLUMNS", "OLDPWD", "PATH", "PWD", "SHLVL", "TERM", "_"].includes(name),
      ),
    ).toEqual([]);
  });

  it("types what the window types", async () => {
    const { seen, openView } = recording();
    const run = createConsole({ openView }).run(request("read -p 'name? ' name; echo hello $name", { ui: { id: 1 } }));

    await until(() => seen.raw.includes("name? "), "the question");
    expect(seen.controls?.write("ada\r")).toBe(true);

    const result = await run;
    expect(result.output).toBe("name? ada\nhello ada\n");
    expect(result.exitCode).toBe(0);
    expect(seen.controls).toMatchObject({ title: "Console" });
    expect(seen.ui).toEqual({ id: 1 });
    expect(seen.controls?.write("late")).toBe(false);
    expect(() => seen.controls?.resize(80, 24)).not.toThrow();
  });

  it("has the size of its window, within the bounds of a terminal, and follows it", async () => {
    const { seen, openView } = recording({ cols: 10_000, rows: 1 });
    const run = createConsole({ openView }).run(
      request("stty size; trap 'stty size; exit' WINCH; echo ready; while :; do sleep 0.05; done"),
    );

    await until(() => seen.raw.includes("ready"), "the program");
    seen.controls?.resize(100, 30);

    expect((await run).output).toBe("5 400\nready\n30 100\n");
  });

  it("is closed by its window: the program and what it started end, and the result is cancelled", async () => {
    const { seen, openView } = recording();
    const run = createConsole({ openView }).run(request("sleep 300 & echo pid $!; wait"));

    await until(() => /pid \d+\r?\n/.test(seen.raw), "the program");
    seen.controls?.kill();
    seen.controls?.kill();

    const result = await run;
    expect(result).toMatchObject({ cancelled: true });
    expect(result).not.toHaveProperty("timedOut");
    expect(result).not.toHaveProperty("exitCode");
    const pid = Number(/pid (\d+)/.exec(result.output)?.[1]);
    expect(isAlive(pid)).toBe(false);
  });

  it("ends at its deadline, and at an abort, with what was on the screen", async () => {
    const late = await createConsole().run(request("echo before; sleep 300", { timeoutMs: 5_000 }));
    expect(late).toMatchObject({ output: "before\n", cancelled: true, timedOut: true });

    const controller = new AbortController();
    const { seen, openView } = recording();
    const run = createConsole({ openView }).run(request("echo before; sleep 300", { signal: controller.signal }));
    await until(() => seen.raw.includes("before"), "the program");
    controller.abort();
    const aborted = await run;
    expect(aborted).toMatchObject({ output: "before\n", cancelled: true });
    expect(aborted).not.toHaveProperty("timedOut");
  });

  it("starts nothing where the signal was aborted already", async () => {
    const { seen, openView } = recording();

    const result = await createConsole({ openView }).run(request("echo ran", { signal: AbortSignal.abort() }));

    expect(result).toMatchObject({ output: "", cancelled: true });
    expect(seen.controls).toBeUndefined();
  });

  it("says what went wrong where the program could not start", async () => {
    const result = await createConsole().run(request("true", { cwd: "/nowhere/at/all" }));

    expect(result.output).toMatch(/^PTY error: .+\n$/);
    expect(result).not.toHaveProperty("exitCode");
    expect(result.cancelled).toBe(false);
  });

  it("keeps the raw output of a long run in its artifact, and the end of the screen in the text", async () => {
    const store = new ArtifactStore({ folder: `${scratchFolder()}/artifacts` });
    const artifact = await store.allocate("bash");

    const result = await createConsole().run(request("seq 1 30000", { artifact }));
    await store.settle(artifact.id, "keep");

    expect(result).toMatchObject({ truncated: true, artifactId: artifact.id, exitCode: 0 });
    expect(result.output).toMatch(/\n30000\n$/);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(51_200);
    const { text } = await store.read(`artifact://${artifact.id}`);
    expect(text).toBe(Array.from({ length: 30_000 }, (_, at) => `${at + 1}\r\n`).join(""));
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("window");
      },
    ],
    ["rejects", () => Promise.reject(new Error("window"))],
  ])("survives a window that %s", async (_how, onData) => {
    const { openView } = recording({
      onData,
      onEnd: () => {
        throw new Error("window");
      },
    });

    const result = await createConsole({ openView }).run(request("echo one; sleep 0.2; echo two"));

    expect(result).toMatchObject({ output: "one\ntwo\n", exitCode: 0 });
  });

  it("survives a window that cannot be opened", async () => {
    const openView = (): never => {
      throw new Error("no screen");
    };

    expect(await createConsole({ openView }).run(request("echo one"))).toMatchObject({ output: "one\n", exitCode: 0 });
  });

  it("answers what programs ask a terminal, where the window does not", async () => {
    const ask = String.raw`stty -echo -icanon; printf '\e[6n'; IFS= read -r -d R -t 10 answer; printf '\n%s' "\${answer#*[}"`;

    const result = await createConsole().run(request(ask.replace("\\$", "$")));

    expect(result.output).toBe("\n1;1\n");
  });

  it("gives up a program that never reports, within the deadline and the grace", async () => {
    const createPty = () => ({
      start: () => new Promise<never>(() => undefined),
      write: () => true,
      resize: () => undefined,
      kill: () => undefined,
    });

    const result = await createConsole({ createPty, graceMs: 50 }).run(request("true", { timeoutMs: 50 }));

    expect(result).toMatchObject({ cancelled: true, timedOut: true });
  });

  it("takes the terminals of requests, so that it serves places too", async () => {
    expect(createConsole().takesTerminals).toBe(true);
    const { device, run } = replaced(() => Promise.resolve({ exitCode: 3, cancelled: false, timedOut: false }));

    expect(await run({ cwd: "/far" })).toMatchObject({ output: "shown\n", exitCode: 3, cancelled: false });
    expect(device.started).toMatchObject([{ cwd: "/far", cols: 120, rows: 40 }]);
  });

  it("gives what the screen showed last where the end of a program on a place is not known", async () => {
    const { run, ends } = replaced(() =>
      Promise.reject(Object.assign(new Error("cut off"), { code: "PI_PLACE_LOST" })),
    );

    const result = await run();

    expect(result).toMatchObject({ output: "[cut off]\nshown\n", lost: true, cancelled: true, totalLines: 1 });
    for (const absent of ["sessionReset", "exitCode", "timedOut"]) expect(result).not.toHaveProperty(absent);
    expect(ends).toEqual([{ cancelled: true, timedOut: false }]);
  });

  it("says what went wrong where a program that ran has another failure", async () => {
    const { run } = replaced(() => Promise.reject(new Error("broken")));

    const result = await run();

    expect(result).toMatchObject({ output: "PTY error: broken\n", cancelled: false, totalLines: 1 });
    expect(result).not.toHaveProperty("lost");
  });

  it("says why the artifact of a long output could not be written, and nothing of it where it was", async () => {
    const folder = scratchFolder();
    const artifact = { id: "1", path: `${folder}/missing/1.log` };

    const failed = await createConsole().run(request("seq 1 30000", { artifact }));
    const whole = await createConsole().run(request("seq 1 30000", { artifact: { id: "2", path: `${folder}/2.log` } }));

    expect(failed).toMatchObject({ exitCode: 0, truncated: true, artifactError: expect.stringContaining("1.log") });
    expect(failed).not.toHaveProperty("artifactId");
    expect(whole.artifactId).toBe("2");
    expect(whole).not.toHaveProperty("artifactError");
  });
});
