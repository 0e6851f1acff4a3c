/**
 * Programs on a terminal of a place: what a terminal of this machine promises holds over a pipe, ssh and a container, and what
 * becomes of them when the connection breaks.
 */
import { createHash, randomInt } from "node:crypto";
import { PtySession } from "@pi-bash/natives";
import type { RemotePlace } from "@pi-bash/places";
import { expect, it, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import { describeOn, PLACE_LIMIT_MS } from "../../support/place-suite.ts";
import { type PlaceKind, processesWith } from "../../support/places.ts";
import { KEY, openConsole } from "../pty-console.ts";

const KINDS: readonly PlaceKind[] = ["command", "sshd", "podman"];
/** Bytes of input past which one more is refused. */
const MOST_INPUT_BYTES = 16 * 1024 ** 2;

for (const kind of KINDS) {
  describeOn(kind, "terminals", (places) => {
    /** A terminal on a connection of its own, which ends with the test. */
    async function open() {
      const place = places().make();
      onTestFinished(() => place.close(), PLACE_LIMIT_MS);
      const { natives } = await place.open();
      if (natives.PtySession === undefined) throw new Error("the place has no pseudoterminals");
      return { place, pty: new natives.PtySession() };
    }

    keyboards(open);
    drawings(open);
    ends(open);
  });
}

type Remote = InstanceType<NonNullable<Awaited<ReturnType<RemotePlace["open"]>>["natives"]["PtySession"]>>;
type Open = () => Promise<{ place: RemotePlace; pty: Remote }>;

/** Digits that stand in no other command line: `sleep` takes them as a fraction of its seconds. */
function newMark(): string {
  return String(randomInt(1e14, 2e14));
}

function keyboards(open: Open): void {
  it("take what is typed before the program has begun, in its order, and the size of that moment", async () => {
    const { pty } = await open();
    const pids: number[] = [];
    let drawn = "";
    const command = "read a; read b; stty size; echo got:$a:$b; exit 3";
    const run = pty.start(
      { command, cols: 90, rows: 30 },
      (_, chunk) => {
        drawn += chunk;
        expect(pids).toHaveLength(1);
      },
      (_, pid) => pids.push(pid),
    );
    pty.resize(100, 33);
    expect(pty.write("first\n")).toBe(true);
    pty.write("second\n");
    const result = await run;

    expect(result).toEqual({ exitCode: 3, cancelled: false, timedOut: false });
    expect(drawn).toContain("33 100\r\n");
    expect(drawn).toContain("got:first:second\r\n");
    expect(pids[0]).toBeGreaterThan(1);
    expect(() => pty.write("late")).toThrowError(expect.objectContaining({ code: "PI_PTY_NOT_RUNNING" }));
  });

  it("pass a change of size, an interrupt, a suspension and a named signal on to the foreground", async () => {
    const { pty } = await open();
    const script = `trap 'stty size' WINCH; trap 'echo interrupted' INT; trap 'echo suspended' TSTP
      trap 'echo used; exit 6' USR1; echo ready; while :; do sleep 0.05; done`;
    const console = openConsole({ command: `bash -c "$S"`, env: { S: script } }, pty);
    await console.shows("ready");
    pty.resize(70, 20);
    await console.shows("20 70");
    console.press(KEY.interrupt);
    await console.shows("interrupted");
    console.press(KEY.suspend);
    await console.shows("suspended");
    pty.kill("SIGUSR1");

    expect((await console.ended()).exitCode).toBe(6);
    expect(() => pty.kill("SIGNOTHING")).toThrowError(expect.objectContaining({ code: "PI_INVALID_OPTION" }));
  });

  it("bring 1 MiB of input there byte by byte, held back by what the program takes", async () => {
    const { pty } = await open();
    // All bytes that a key can send, and characters of two to four bytes.
    const alphabet = [...Array(128).keys(), 0xe9, 0x20ac, 0x1f600].map((code) => String.fromCodePoint(code)).join("");
    const input = alphabet.repeat(Math.ceil(1024 ** 2 / Buffer.byteLength(alphabet)));
    const bytes = Buffer.byteLength(input);
    let drawn = "";
    const command = `stty raw -echo; echo ready; head -c ${bytes} | sha256sum`;
    const run = pty.start({ command }, (_, chunk) => {
      drawn += chunk;
    });
    await until("the program to be ready", () => drawn.includes("ready"));
    let mayGoOn = true;
    for (let at = 0; at < input.length; at += 10_000) {
      if (!mayGoOn) await until("the program to take input", () => pty.pendingInputBytes < 16_384, PLACE_LIMIT_MS);
      mayGoOn = pty.write(input.slice(at, at + 10_000));
    }
    await run;

    expect(drawn).toContain(createHash("sha256").update(input).digest("hex"));
  });

  it("refuse more than 16 MiB that the program does not take, and do not lose the program for it", async () => {
    const { pty } = await open();
    let drawn = "";
    const run = pty.start({ command: "stty raw -echo; echo ready; exec sleep 1000" }, (_, chunk) => {
      drawn += chunk;
    });
    await until("the program to be ready", () => drawn.includes("ready"));
    const piece = "x".repeat(1024 ** 2);
    const typeAll = () => {
      for (let bytes = 0; bytes <= MOST_INPUT_BYTES; bytes += piece.length) pty.write(piece);
    };

    expect(typeAll).toThrowError(expect.objectContaining({ code: "PI_PTY_INPUT_FULL" }));
    expect(pty.pendingInputBytes).toBeGreaterThan(MOST_INPUT_BYTES - piece.length);
    pty.kill();
    expect(await within("the end", run)).toMatchObject({ cancelled: true });
  });
}

function drawings(open: Open): void {
  it("come as they would on this machine, all 256 bytes", async () => {
    const { pty } = await open();
    const command = String.raw`stty -opost; for i in {0..255}; do printf "\\x$(printf %02x $i)"; done; printf 'é€😀end'`;
    const draw = async (terminal: Pick<PtySession, "startArgv">) => {
      let drawn = "";
      await terminal.startArgv({ application: "bash", args: ["-c", command], env: { LC_ALL: "C" } }, (_, chunk) => {
        drawn += chunk;
      });
      return drawn;
    };

    expect(await draw(pty)).toBe(await draw(new PtySession()));
  });

  it("arrive whole, 16 MiB of them, and wait for a callback that does not take them", async () => {
    const { pty } = await open();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let bytes = 0;
    const run = pty.start(
      { command: "stty -opost; head -c 16777216 /dev/zero | tr '\\0' x; printf end" },
      (_, chunk) => {
        bytes += chunk.length;
        return held;
      },
    );
    await until("the first piece", () => bytes > 0);
    const early = await Promise.race([
      run.then(() => "ended"),
      new Promise((resolve) => setTimeout(resolve, 500, "held")),
    ]);
    expect(early).toBe("held");
    release();
    await run;

    expect(bytes).toBe(16 * 1024 ** 2 + 3);
  });

  it("survive a callback that throws", async () => {
    const { pty } = await open();
    const warned = new Promise((resolve) => process.once("warning", resolve));
    const result = await pty.start({ command: "echo a; sleep 0.1; echo b" }, () => {
      throw new Error("no");
    });

    expect(result.exitCode).toBe(0);
    expect(await warned).toMatchObject({ code: "PI_CALLBACK_FAILED" });
  });
}

function ends(open: Open): void {
  it("leave nothing over there after a kill, an abort and a deadline", async () => {
    const { pty } = await open();
    const started = async (act: (mark: string) => Promise<unknown>) => {
      const mark = newMark();
      const result = await act(mark);
      await until("nothing to be left", () => processesWith(mark).length === 0);
      return result;
    };
    const command = (mark: string) =>
      `trap '' HUP; sleep 1000.${mark} & setsid sleep 1001.${mark} & sleep 1002.${mark}`;
    const running = (mark: string) => until("it to run", () => processesWith(`1002.${mark}`).length > 0);

    expect(
      await started(async (mark) => {
        const run = pty.start({ command: command(mark) });
        await running(mark);
        pty.kill();
        return run;
      }),
    ).toEqual({ cancelled: true, timedOut: false });
    expect(
      await started(async (mark) => {
        const stop = new AbortController();
        const run = pty.start({ command: command(mark), signal: stop.signal });
        await running(mark);
        stop.abort();
        return run;
      }),
    ).toEqual({ cancelled: true, timedOut: false });
    expect(await started((mark) => pty.start({ command: command(mark), timeoutMs: 500 }))).toEqual({
      cancelled: false,
      timedOut: true,
    });
  });

  it("are reported once when the link is cut, with what is known, and nothing is left over there", async () => {
    const { place, pty } = await open();
    const mark = newMark();
    let pid = 0;
    const run = pty.start({ command: `sleep 1000.${mark}` }, undefined, (_, started) => {
      pid = started;
    });
    await until("it to run, and to be reported", () => pid > 0 && processesWith(mark).length > 0);
    await place.cut();

    await expect(within("the end", run)).rejects.toMatchObject({
      code: "PI_PLACE_LOST",
      message: expect.stringContaining("into the program on the terminal: it was cut here"),
    });
    expect(() => pty.write("x")).toThrowError(expect.objectContaining({ code: "PI_PTY_NOT_RUNNING" }));
    await until("nothing to be left", () => processesWith(mark).length === 0, PLACE_LIMIT_MS);
    // The next program is started over another connection.
    expect(await pty.start({ command: "exit 4" })).toMatchObject({ exitCode: 4 });
  });

  it("are one at a time, and what cannot start says why", async () => {
    const { pty } = await open();
    const run = pty.start({ command: "read x" });
    await expect(pty.start({ command: "true" })).rejects.toMatchObject({ code: "PI_PTY_ALREADY_RUNNING" });
    pty.write("\n");
    await run;

    await expect(pty.start({ command: "true", cwd: "/nonexistent" })).rejects.toMatchObject({ code: "PI_MISSING_CWD" });
    await expect(pty.startArgv({ application: "/nonexistent", args: [] })).rejects.toMatchObject({
      code: "PI_PTY_SPAWN",
    });
    expect(await pty.start({ command: "exit 300", signal: AbortSignal.abort() })).toEqual({
      cancelled: true,
      timedOut: false,
    });
  });
}
