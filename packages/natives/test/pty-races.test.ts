/** Programs on terminals while everything happens at once: storms of sizes, kills in the moment of the end, other runs. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { PtySession, Shell, ShellError } from "../src/index.ts";
import { processesWith, until } from "./waiting.ts";

/** A program, and what it has written. */
function start(command: string, env: Record<string, string> = {}) {
  const session = new PtySession();
  const seen = { text: "" };
  const end = session.start({ command, env }, (_error, chunk) => {
    seen.text += chunk;
  });
  return { session, seen, end };
}

describe("a program on a terminal", () => {
  it("loses nothing while its size changes all the time", async () => {
    const { session, seen, end } = start("seq 1 20000; exit 7");
    let isRunning = true;
    void end.finally(() => {
      isRunning = false;
    });
    let sizes = 0;
    while (isRunning) {
      // It may end between the look and the change.
      expectOnly("PI_PTY_NOT_RUNNING", () => session.resize(20 + (sizes % 300), 5 + (sizes % 150)));
      sizes += 1;
      await nextTurn();
    }

    expect((await end).exitCode).toBe(7);
    expect(seen.text.length).toBe(128_894);
    expect(sizes).toBeGreaterThan(1);
  });

  it("that ends while it is killed has one end or the other, and leaves nothing", async () => {
    const ends = { own: 0, killed: 0 };
    for (let round = 0; round < 40; round += 1) {
      const { session, seen, end } = start("echo up; read -r line; exit 3", { MARK: "pty-race" });
      await until("the program to stand", () => seen.text.includes("up"));
      session.write("go\n");
      for (let turn = 0; turn < round * 4; turn += 1) await nextTurn();
      expectOnly("PI_PTY_NOT_RUNNING", () => session.kill());
      const result = await end;

      if (result.cancelled) ends.killed += 1;
      else ends.own += 1;
      expect([
        { exitCode: 3, cancelled: false, timedOut: false },
        { cancelled: true, timedOut: false },
      ]).toContainEqual(result);
      expect(() => session.kill()).toThrow("PTY session is not running");
    }

    expect(ends.own + ends.killed).toBe(40);
    expect(processesWith("MARK=pty-race")).toEqual([]);
  });

  it("PY-11 that reads nothing holds no one up who writes", async () => {
    const { session, seen, end } = start("stty raw -echo; echo ready; exec sleep 300");
    await until("the program to stand", () => seen.text.includes("ready"));

    expect(session.write("x".repeat(1024 * 1024))).toBe(false);
    // The event loop turns though the terminal takes no more.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(session.pendingInputBytes).toBeGreaterThan(0);
    session.kill();
    expect(await end).toEqual({ cancelled: true, timedOut: false });
  });

  it("PY-15 ends by itself beside another terminal and twenty runs of sessions", async () => {
    const long = start("echo up; exec sleep 300");
    await until("the other program to stand", () => long.seen.text.includes("up"));
    const shells = Array.from({ length: 20 }, () => new Shell());
    const runs = shells.map((shell, id) => shell.run({ command: `sleep 0.1; echo run ${id}`, sink: {} }));
    const short = start("echo hi");

    expect(await short.end).toEqual({ exitCode: 0, cancelled: false, timedOut: false });
    expect(short.seen.text).toBe("hi\r\n");
    const texts = (await Promise.all(runs)).map(({ output }) => output?.text);
    expect(texts).toEqual(shells.map((_, id) => `run ${id}\n`));
    long.session.kill();
    expect((await long.end).cancelled).toBe(true);
    await Promise.all(shells.map((shell) => shell.close()));
  });
});

/** Runs `action`, which may fail with `code` and with nothing else. */
function expectOnly(code: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof ShellError) || error.code !== code) throw error;
  }
}
