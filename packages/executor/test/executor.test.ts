/**
 * The executor with real shells: sessions, bounds, overlapping calls, prefix, directories.
 */
import { getEventListeners } from "node:events";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { disposeSharedExecutor, executeBash } from "../src/execute-bash.ts";
import { UserShell } from "../src/user-shell.ts";
import { real } from "./support/real.ts";
import { until } from "./support/waiting.ts";

const isLinux = process.platform === "linux";

describe("a session", () => {
  it("keeps what a command changed for the next one", async () => {
    const { executor } = real();

    await executor.executeBash("cd /usr; export A=1; f() { echo F$A; }");

    expect(await executor.executeBash("pwd; f")).toMatchObject({
      output: "/usr\nF1\n",
      exitCode: 0,
      workingDir: "/usr",
    });
  });

  it("is not shared by two agents' sessions", async () => {
    const { executor } = real();
    await executor.executeBash("A=one", { sessionKey: "one" });

    const other = await executor.executeBash("echo [$A]", { sessionKey: "two" });
    const same = await executor.executeBash("echo [$A]", { sessionKey: "one" });

    expect([other.output, same.output]).toEqual(["[]\n", "[one]\n"]);
  });

  it("has one listener on a signal that fifteen calls share, and none after the abort", async () => {
    const { executor } = real();
    const turn = new AbortController();
    let begun = 0;
    const calls = Array.from({ length: 15 }, (_, index) =>
      executor.executeBash("echo; sleep 60", {
        sessionKey: `agent ${index % 3}`,
        signal: turn.signal,
        onChunk: () => {
          begun += 1;
        },
      }),
    );
    await until(() => begun >= 3, "the first calls");

    expect(getEventListeners(turn.signal, "abort")).toHaveLength(1);
    turn.abort();

    const results = await Promise.all(calls);
    expect(results.map(({ cancelled }) => cancelled)).toEqual(Array.from({ length: 15 }, () => true));
    expect(getEventListeners(turn.signal, "abort")).toHaveLength(0);
  });

  it("counts what a command wrote, and tells its exit code", async () => {
    const { executor } = real();

    expect(await executor.executeBash("printf 'a\\nb'; echo err >&2; exit 3")).toMatchObject({
      output: "a\nberr\n",
      exitCode: 3,
      cancelled: false,
      truncated: false,
      totalLines: 2,
      totalBytes: 7,
    });
  });

  it("begins where the host says, and a call can name another directory", async () => {
    const { executor, folder } = real();
    mkdirSync(join(folder, "sub"));

    const first = await executor.executeBash("pwd");
    const second = await executor.executeBash("pwd", { cwd: join(folder, "sub") });

    expect([first.output, second.output]).toEqual([`${folder}\n`, `${realpathSync(folder)}/sub\n`]);
  });

  it("RS-01: rejects a directory that is missing or a file, and stays", async () => {
    const { executor } = real();
    await executor.executeBash("A=1");

    await expect(executor.executeBash("pwd", { cwd: "/nope" })).rejects.toThrow(
      "Working directory does not exist: /nope",
    );
    await expect(executor.executeBash("pwd", { cwd: "/etc/passwd" })).rejects.toThrow(
      "Working directory is not a directory: /etc/passwd",
    );

    expect((await executor.executeBash("echo $A")).output).toBe("1\n");
  });

  it("takes variables for one command, which win over everything", async () => {
    const { executor } = real();

    const with_ = await executor.executeBash("echo $X $PAGER", { env: { X: "a'b\"c$(touch P)", PAGER: "less" } });
    const without = await executor.executeBash("echo [$X] $PAGER");

    expect([with_.output, without.output]).toEqual([`a'b"c$(touch P) less\n`, "[] cat\n"]);
  });
});

describe("bounds", () => {
  it("a timeout is a result with what was written, and the session keeps its state", async () => {
    const { executor } = real();
    await executor.executeBash("A=kept");

    const result = await executor.executeBash("echo before; sleep 60", { timeoutMs: 2_000 });

    expect(result).toMatchObject({
      output: "[Command timed out after 2 seconds]\nbefore\n",
      cancelled: true,
      timedOut: true,
    });
    expect(result).not.toHaveProperty("exitCode");
    expect((await executor.executeBash("echo $A")).output).toBe("kept\n");
  });

  it("an abort is a result too", async () => {
    const { executor } = real();
    const controller = new AbortController();
    const running = executor.executeBash("echo started; sleep 60", {
      signal: controller.signal,
      onChunk: (chunk) => {
        if (chunk.includes("started")) controller.abort();
      },
    });

    expect(await running).toMatchObject({ output: "[Command cancelled]\nstarted\n", cancelled: true });
    expect((await executor.executeBash("echo ok")).output).toBe("ok\n");
  });

  it.runIf(isLinux)("disposing ends everything that was started", async () => {
    const { executor, processes } = real();
    const result = await executor.executeBash("setsid sleep 300 >/dev/null 2>&1 & sleep 300 >/dev/null 2>&1 & echo ok");
    expect(result.output).toBe("ok\n");
    expect(result.survivors?.length).toBeGreaterThan(0);

    await executor.dispose();

    // The runtime keeps one neutral spare shell for the next session; what commands started is gone.
    await until(() => processes().every((line) => !line.includes("sleep")), "all processes to be gone");
    await until(() => processes().length <= 2, "the session's own shells to be gone");
  });

  it.runIf(isLinux)("CC-13: sessions used once leave a bounded number of shells", async () => {
    const { executor, processes } = real({ maxIdleSessions: 2 });

    for (let index = 0; index < 10; index += 1) await executor.executeBash("true", { sessionKey: `s${index}` });
    await until(() => executor.stats().sessions === 2, "old sessions to be closed");

    await until(() => processes().length <= 12, "their shells to be gone");
    expect(await executor.executeBash("echo ok", { sessionKey: "s0" })).toMatchObject({
      output: "ok\n",
      sessionReset: true,
    });
  });
});

describe("overlapping calls", () => {
  it("CC-01: take turns, each with its own output", async () => {
    const { executor } = real();
    const loop = (letter: string) => `for i in $(seq 50); do echo ${letter}; done`;

    const [first, second] = await Promise.all([executor.executeBash(loop("A")), executor.executeBash(loop("B"))]);

    expect(first.output).toBe("A\n".repeat(50));
    expect(second.output).toBe("B\n".repeat(50));
  });

  it("CC-03: one that is aborted while it waits never runs", async () => {
    const { executor, folder } = real();
    const controller = new AbortController();
    const first = executor.executeBash("sleep 1; echo first");
    const second = executor.executeBash("touch P", { signal: controller.signal });
    await until(() => executor.stats().sessions === 1, "the first to start");

    controller.abort();

    expect((await second).cancelled).toBe(true);
    expect((await first).output).toBe("first\n");
    expect((await executor.executeBash(`ls ${folder}`)).output).not.toContain("P");
  });

  it("a copy sees the session's state and leaves nothing in it", async () => {
    const { executor, folder } = real();
    await executor.executeBash("A=1; cd /usr");
    const gate = join(folder, "gate");
    const slow = executor.executeBash(`A=2; until [ -e ${gate} ]; do sleep 0.05; done; echo $A`);
    await until(() => executor.stats().idle === 0, "the first to have the session");

    const copy = await executor.executeBash("echo $A; pwd; A=3; cd /", { overlap: "clone" });
    await executor.executeBash(`touch ${gate}`, { overlap: "clone" });

    expect(copy).toMatchObject({ output: "1\n/usr\n", isIsolated: true });
    expect((await slow).output).toBe("2\n");
    expect((await executor.executeBash("echo $A; pwd")).output).toBe("2\n/usr\n");
  });
});

describe("the prefix", () => {
  it("RC-06: gives what bash gives for `<prefix> <command>`", async () => {
    const { executor } = real({ settings: { shellPrefix: "env X=1" } });

    expect((await executor.executeBash("bash -c 'echo $X'")).output).toBe("1\n");
    expect((await executor.executeBash("printf 'a\\n'\nprintf 'b\\n'")).output).toBe("a\nb\n");
    expect(await executor.executeBash("for i in 1; do echo $i; done")).toMatchObject({ exitCode: 2 });
    expect((await executor.executeBash("echo still here")).output).toBe("still here\n");
  });
});

describe("commands of a person", () => {
  it("share the agent's shell, and `cd` moves both", async () => {
    const { executor, folder } = real();
    const shell = new UserShell({ executor, sessionId: "s", cwd: folder });

    await shell.executeBash("cd /usr; export MINE=1");

    expect(shell.cwd).toBe("/usr");
    expect((await executor.executeBash("echo $MINE; pwd", { sessionKey: "s" })).output).toBe("1\n/usr\n");
    expect((await shell.executeBash("seq 3 | head -1")).output).toBe("1\n");
  });
});

describe("the function", () => {
  it("runs a command without an executor of one's own", async () => {
    const result = await executeBash("echo hello", { cwd: "/" });
    await disposeSharedExecutor();

    expect(result).toMatchObject({ output: "hello\n", exitCode: 0 });
  });
});
