/** Programs on a pseudoterminal: what they are given, how they end, and that every byte of theirs arrives. */
import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PtySession, type PtyStartOptions, type ShellError } from "../src/index.ts";
import { processesWith, until } from "./waiting.ts";

/** A program that was started, and what it wrote so far. */
function start(options: string | PtyStartOptions) {
  const session = new PtySession();
  const seen = { text: "" };
  const end = session.start(typeof options === "string" ? { command: options } : options, (_error, chunk) => {
    seen.text += chunk;
  });
  return { session, seen, end };
}

async function run(options: string | PtyStartOptions) {
  const { seen, end } = start(options);
  return { ...(await end), text: seen.text };
}

function shows(seen: { text: string }, text: string): Promise<void> {
  return until(`${JSON.stringify(text)} in ${JSON.stringify(seen.text.slice(-200))}`, () => seen.text.includes(text));
}

/** Controller ends that this process has open. */
function openTerminals(): number {
  const links = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ""; // The one that was open for the listing.
    }
  });
  return links.filter((link) => link.includes("ptmx") || link.includes("/pts/")).length;
}

describe("a program on a terminal", () => {
  it("has written every byte when its promise resolves, twenty times in a row", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { exitCode, text } = await run("seq 1 20000; exit 7");

      expect(exitCode).toBe(7);
      expect(text.length).toBe(128_894);
      expect(text.endsWith("19999\r\n20000\r\n")).toBe(true);
    }
  });

  it("shares a machine with fifty others", async () => {
    const runs = Array.from({ length: 50 }, (_, id) => run(`seq 1 300; echo only ${id}; exit ${id}`));
    for (const [id, { exitCode, text }] of (await Promise.all(runs)).entries()) {
      expect(exitCode).toBe(id);
      expect(text.endsWith(`300\r\nonly ${id}\r\n`)).toBe(true);
    }
  });

  it("leaves no descriptor and no process, a hundred in a row", async () => {
    await run("true");
    const before = openTerminals();
    for (let round = 0; round < 100; round += 1) {
      const { exitCode, text } = await run({ command: "echo $MARK", env: { MARK: "pty-hundred" } });
      expect([exitCode, text]).toEqual([0, "pty-hundred\r\n"]);
    }

    expect(openTerminals()).toBe(before);
    expect(processesWith("MARK=pty-hundred")).toEqual([]);
  });

  it("tells its pid once and before its first byte, and starts with the size that was asked for", async () => {
    const events: unknown[] = [];
    const session = new PtySession();
    const { exitCode } = await session.start(
      { command: "echo $$; stty size; exit 3", cols: 90, rows: 20 },
      (_error, chunk) => events.push(...chunk.trim().split("\r\n")),
      (error, pid) => events.push([error, pid]),
    );

    const [started, printed] = events as [[null, number], string];
    expect(exitCode).toBe(3);
    expect(events).toEqual([[null, Number(printed)], printed, "20 90"]);
    expect(started[1]).toBeGreaterThan(1);
  });

  it("is decoded like any other output, wherever a character is cut", async () => {
    const { text } = await run("for i in $(seq 3000); do printf 'é€😀'; done");

    expect(text).toBe("é€😀".repeat(3000));
  });

  it("is a program as it is with startArgv, found in PATH", async () => {
    let text = "";
    const session = new PtySession();
    const result = await session.startArgv({ application: "printf", args: ["%s|", "a b", "$HOME", ""] }, (_, chunk) => {
      text += chunk;
    });

    expect(result).toEqual({ exitCode: 0, cancelled: false, timedOut: false });
    expect(text).toBe("a b|$HOME||");
  });

  it("tells the signal that ended it", async () => {
    expect(await run("kill -9 $$")).toMatchObject({ exitCode: 137, signal: "SIGKILL", cancelled: false });
  });

  it("PY-15 ends though another terminal is still in use", async () => {
    const long = start("echo up; sleep 300");
    await shows(long.seen, "up");

    expect((await run("echo hi")).text).toBe("hi\r\n");
    long.session.kill();
    expect(await long.end).toEqual({ cancelled: true, timedOut: false });
  });
});

describe("what is typed and said to a program", () => {
  it("PY-02 a new size reaches a program that asks, and one that handles SIGWINCH", async () => {
    const { session, seen, end } = start({
      command: "trap 'echo resized' WINCH; while :; do stty size; sleep 0.1; done",
      cols: 80,
      rows: 24,
    });
    await shows(seen, "24 80\r\n");
    session.resize(100, 40);
    await shows(seen, "40 100\r\n");
    await shows(seen, "resized");
    session.resize(0, 70_000);
    await shows(seen, "200 20\r\n");
    session.kill();

    expect((await end).cancelled).toBe(true);
  });

  it("PY-03 controls before a start and after an end are refused by name, and a size that is none as well", async () => {
    const session = new PtySession();
    const attempts = [
      () => session.write("x"),
      () => session.resize(0, 0),
      () => session.resize(-1, 5),
      () => session.resize(70_000, 70_000),
      () => session.kill(),
      () => session.kill("SIGTERM"),
    ];
    for (let round = 0; round < 2; round += 1) {
      for (const attempt of [...attempts, ...attempts]) expect(attempt).toThrow("PTY session is not running");
      expect(() => session.resize(Number.NaN, 5)).toThrow("option `cols` is NaN");
      expect(() => session.kill("SIGNOPE")).toThrow("option `signal` is `SIGNOPE`");
      await session.start({ command: "exit 1" });
    }
    expect(session.pendingInputBytes).toBe(0);
  });

  it("PY-04 the interrupt key ends a program", async () => {
    const { session, seen, end } = start("echo ready; exec sleep 300");
    await shows(seen, "ready");
    session.write("\x03");

    expect(await end).toEqual({ exitCode: 130, signal: "SIGINT", cancelled: false, timedOut: false });
  });

  it("PY-05 the end-of-file key ends a reader", async () => {
    const { session, seen, end } = start("cat");
    session.write("hi\n\x04");

    expect((await end).exitCode).toBe(0);
    expect(seen.text).toBe("hi\r\nhi\r\n");
  });

  it("PY-11 a megabyte at once is queued, back-pressure is reported, and all of it arrives", async () => {
    const { session, seen, end } = start("stty raw -echo; echo ready; head -c 1048576 | wc -c");
    await shows(seen, "ready");

    expect(session.write("x".repeat(1024 * 1024))).toBe(false);
    expect((await end).exitCode).toBe(0);
    expect(seen.text).toContain("1048576");
  });

  it("is done when the program runs, if it was asked for before", async () => {
    const { session, seen, end } = start('read -r line; stty size; echo "<$line>"');
    session.resize(50, 10);
    expect(session.write("early\n")).toBe(true);

    expect((await end).exitCode).toBe(0);
    expect(seen.text).toContain("10 50\r\n<early>\r\n");
  });

  it("a signal by name goes to the program in the foreground", async () => {
    const { session, seen, end } = start("trap 'echo caught; exit 4' USR1; echo ready; while :; do sleep 0.05; done");
    await shows(seen, "ready");
    session.kill("USR1");

    expect((await end).exitCode).toBe(4);
    expect(seen.text).toContain("caught");
  });
});

describe("the end of a program", () => {
  it("says what it used, where it is asked to", async () => {
    const command = "head -c 60000000 /dev/zero | tail -c 50331648 | wc -c";
    const { usage } = await new PtySession().start({ command, usage: true });
    expect(usage?.peakMemoryBytes).toBeGreaterThanOrEqual(50_331_648);
    expect(await new PtySession().start({ command: "true" })).not.toHaveProperty("usage");
  });

  it("PY-10 a kill takes the whole tree along, whatever it ignores", async () => {
    const { session, seen, end } = start({
      command: `trap '' HUP TERM INT; sleep 300 | cat & setsid sleep 300 & (while :; do sleep 300; done) & echo ready; wait`,
      env: { MARK: "pty-tree" },
    });
    await shows(seen, "ready");
    session.kill();

    expect(await end).toEqual({ cancelled: true, timedOut: false });
    expect(processesWith("MARK=pty-tree")).toEqual([]);
  });

  it("comes at the deadline, also when no one reads what it prints", async () => {
    const session = new PtySession();
    const never = new Promise<void>(() => undefined);
    const result = await session.start(
      { command: "trap '' HUP TERM; yes", timeoutMs: 300, env: { MARK: "pty-deadline" } },
      () => never,
    );

    expect(result).toEqual({ cancelled: false, timedOut: true });
    expect(processesWith("MARK=pty-deadline")).toEqual([]);
  });

  it("comes with the caller's signal, and a signal from before starts nothing", async () => {
    const controller = new AbortController();
    const { seen, end } = start({ command: "echo up; sleep 300", signal: controller.signal });
    await shows(seen, "up");
    controller.abort();
    expect(await end).toEqual({ cancelled: true, timedOut: false });

    const pids: number[] = [];
    const late = await new PtySession().start({ command: "echo x", signal: controller.signal }, undefined, (_, pid) =>
      pids.push(pid),
    );
    expect(late).toEqual({ cancelled: true, timedOut: false });
    expect(pids).toEqual([]);
  });

  it("does not wait for a daemon that holds the terminal open, and ends it", async () => {
    const { exitCode, text } = await run({
      command: "(trap '' HUP; exec setsid sleep 300) & echo up; exit 6",
      env: { MARK: "pty-daemon" },
    });

    expect([exitCode, text]).toEqual([6, "up\r\n"]);
    expect(processesWith("MARK=pty-daemon")).toEqual([]);
  });

  it("waits for a slow reader, who gets every byte", async () => {
    let text = "";
    const session = new PtySession();
    const { exitCode } = await session.start({ command: "seq 1 20000; exit 9" }, async (_error, chunk) => {
      text += chunk;
      await new Promise((resolve) => setTimeout(resolve, 1));
    });

    expect([exitCode, text.length]).toEqual([9, 128_894]);
  });

  it("leaves the session free for another program, and one at a time", async () => {
    const session = new PtySession();
    const first = session.start({ command: "read -r line; exit 1" });
    await expect(session.start({ command: "exit 2" })).rejects.toMatchObject({
      code: "PI_PTY_ALREADY_RUNNING",
      message: "PTY session already running",
    });
    session.write("go\n");

    expect((await first).exitCode).toBe(1);
    expect((await session.start({ command: "exit 3" })).exitCode).toBe(3);
  });
});

describe("a program that cannot be started", () => {
  const refusals: [string, () => Promise<unknown>, string, string][] = [
    [
      "missing",
      () => argv("/nope/at/all"),
      "PI_PTY_SPAWN",
      "Failed to spawn PTY command: `/nope/at/all`: No such file",
    ],
    ["not in PATH", () => argv("no-such-program"), "PI_PTY_SPAWN", "Failed to spawn PTY command: no `no-such-program`"],
    ["no shell", () => run({ command: "x", shell: "/etc/passwd" }), "PI_UNUSABLE_SHELL", "shell `/etc/passwd`"],
    ["no directory", () => run({ command: "x", cwd: "/nope" }), "PI_MISSING_CWD", "Working directory does not exist"],
    ["a NUL byte", () => run("echo a\0b"), "PI_NUL_IN_COMMAND", "the command contains a NUL byte at offset 6"],
    ["a bad variable", () => run({ command: "x", env: { "A-B": "1" } }), "PI_INVALID_ENV", "`A-B`"],
    ["no number", () => run({ command: "x", rows: Number.NaN }), "PI_INVALID_OPTION", "option `rows` is NaN"],
  ];

  function argv(application: string) {
    return new PtySession().startArgv({ application, args: [] });
  }

  it.each(refusals)("%s: the error names it", async (_name, attempt, code, text) => {
    const error = await attempt().then(
      () => undefined,
      (reason: ShellError) => reason,
    );

    expect(error?.code).toBe(code);
    expect(error?.message).toContain(text);
  });
});
