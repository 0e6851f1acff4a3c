/** Links and runs over them, against a far side that plays a script (`fake-host.mjs`). */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { processesWith } from "../../../test/support/places.ts";
import { command, ssh } from "../src/index.ts";
import { fakePlace } from "./fake-place.ts";

/** A file that the far side writes down in what it heard and sent. */
function logFile(): { log: string; entries: () => { kind?: number; sent?: number; payload?: unknown }[] } {
  const folder = mkdtempSync(join(tmpdir(), "pi-places-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const log = join(folder, "log");
  const entries = () =>
    (existsSync(log) ? readFileSync(log, "utf8") : "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { log, entries };
}

const CREDIT = 4;
const CANCEL = 5;

describe("a link", () => {
  it("says what the place is, once it stands", async () => {
    const { facts, natives } = await fakePlace({}).open();
    expect(facts).toMatchObject({ host: "faraway", arch: "x64", cwd: "/far", bash: { path: "/bin/bash" } });
    expect(natives.capabilities()).toMatchObject({ session: "persistent", clone: true });
  });

  it.each([
    [
      "a program that there is not",
      command(["/nowhere/at/all"], { isWhole: true, name: "far" }),
      /cannot be started.*ENOENT/,
    ],
    [
      "a program that ends with words",
      fakePlaceLater({ isMute: true, dies: 255, stderr: "far: Permission denied (publickey).\n" }),
      /far cannot be reached: far: Permission denied/,
    ],
    ["a program that ends without", fakePlaceLater({ isMute: true, dies: 3 }), /it ended with status 3/],
  ])("to %s fails with its last words", async (_, place, words) => {
    const made = typeof place === "function" ? place() : place;
    await expect(made.open()).rejects.toMatchObject({
      code: "PI_PLACE_UNREACHABLE",
      message: expect.stringMatching(words),
    });
  });

  it("fails within its time where nothing answers", async () => {
    const place = fakePlace({ isMute: true }, { connectMs: 300 });
    await expect(place.open()).rejects.toMatchObject({
      code: "PI_PLACE_UNREACHABLE",
      message: expect.stringContaining("0.3 s"),
    });
  });

  it("is not tried again at once after a failure, and is after a while", async () => {
    const place = command(["/nowhere/at/all"], { isWhole: true });
    const first = await place.open().catch((error: unknown) => error);
    const second = await place.open().catch((error: unknown) => error);
    expect(second).toBe(first);
    await until("another try", async () => (await place.open().catch((error: unknown) => error)) !== first);
  });

  it("refuses a version of the protocol that this side does not speak", async () => {
    const place = fakePlace({ hello: { protocol: 9, build: { version: "7.0.0" } } });
    await expect(place.open()).rejects.toMatchObject({
      code: "PI_PLACE_VERSION",
      message: expect.stringContaining("7.0.0"),
    });
  });

  it.each([
    ["no frames", { says: "Last login: yesterday\n" }],
    ["a frame of another kind first", { says: "\u0007\0\0\0\u0008\0\0\0\0\0\n" }],
    ["a `Hello` of another shape", { hello: { capabilities: 5 } }],
  ])("refuses what answers with %s", async (_, script) => {
    await expect(fakePlace(script, { connectMs: 5_000 }).open()).rejects.toMatchObject({
      code: "PI_PLACE_UNREACHABLE",
    });
  });

  it("ends what the far side breaks", async () => {
    for (const steps of [
      [{ started: 1 }, { text: "one" }, { late: 1 }],
      [{ raw: Buffer.from("/////wAA", "base64").toString("base64") }],
      [{ started: 1 }, { flood: 100 }, { raw: Buffer.from([0, 0, 0, 0]).toString("base64") }],
    ]) {
      const { natives } = await fakePlace({ steps }).open();
      await expect(new natives.Shell().run({ command: "x" })).rejects.toMatchObject({
        code: "PI_PLACE_LOST",
        message: expect.stringContaining("broke the protocol"),
      });
    }
  });

  it("that is being made is given up where its place is closed", async () => {
    const place = fakePlace({ isMute: true }, { connectMs: 60_000 });
    const opening = place.open().catch((error: unknown) => error);
    await place.close();
    expect(await opening).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
    await expect(place.open()).rejects.toMatchObject({ message: "far was closed by this host" });
  });

  it("that is given up ends a program that does not heed the end of its input, without a long wait", async () => {
    const place = command(["sleep", "300.2718281828"], { name: "far", isWhole: true, connectMs: 60_000 });
    onTestFinished(() => place.close());
    const opening = place.open().catch((error: unknown) => error);
    await until("the program to run", () => processesWith("300.2718281828").length > 0);
    const begin = performance.now();
    await place.close();
    await until("the program to be ended", () => processesWith("300.2718281828").length === 0);
    // A link that stood is given 6 s for what runs over there.
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(await opening).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
  });

  it("takes nothing for an option of `ssh`", () => {
    expect(() => ssh("-oProxyCommand=touch /tmp/x")).toThrow("does not begin with `-`");
    expect(() => ssh("host", { prot: 22 } as never)).toThrow("port");
  });
});

describe("a run over a link", () => {
  it("gives out text in order and settles with the result of the far side", async () => {
    const { natives } = await fakePlace({
      steps: [{ started: 1 }, { text: "grüße\n" }, { text: "two\n" }, { end: { exitCode: 3 } }],
    }).open();
    const chunks: string[] = [];
    const result = await new natives.Shell().run({ command: "x" }, (_, chunk) => chunks.push(chunk));
    expect({ chunks, exitCode: result.exitCode }).toEqual({ chunks: ["grüße\n", "two\n"], exitCode: 3 });
  });

  it("lets a slow callback hold the far side back at its window", async () => {
    const { log, entries } = logFile();
    const total = 3 * 1024 * 1024;
    const { natives } = await fakePlace({ log, steps: [{ started: 1 }, { flood: total }, { end: {} }] }).open();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let bytes = 0;
    const run = new natives.Shell().run({ command: "x" }, (_, chunk) => {
      bytes += chunk.length;
      return held;
    });

    await until("the window to be used up", () => entries().some(({ sent }) => sent === 256 * 1024));
    expect(entries().filter(({ kind }) => kind === CREDIT)).toEqual([]);
    release();
    await run;

    expect(bytes).toBe(total);
  });

  it("passes a signal on as a cancel, and settles with what the far side makes of it", async () => {
    const { log, entries } = logFile();
    const { natives } = await fakePlace({
      log,
      steps: [{ started: 1 }, { cancelled: 1 }, { end: { cancelled: true } }],
    }).open();
    const abort = new AbortController();
    const run = new natives.Shell().run({ command: "x", signal: abort.signal }, () => new Promise(() => undefined));
    await until("the run to be sent", () => entries().some(({ kind }) => kind === 3));
    abort.abort();
    expect(await run).toMatchObject({ cancelled: true });
    expect(entries().filter(({ kind }) => kind === CANCEL)).toHaveLength(1);
  });

  it("is not sent where its signal came first", async () => {
    const { log, entries } = logFile();
    const { natives } = await fakePlace({ log, steps: [{ end: {} }] }).open();
    expect(await new natives.Shell().run({ command: "x", signal: AbortSignal.abort() })).toMatchObject({
      cancelled: true,
    });
    expect(entries().filter(({ kind }) => kind === 3)).toEqual([]);
  });

  it("is lost where the link is cut, and the next one says that the state is gone", async () => {
    const place = fakePlace({ steps: [{ started: 1 }, { text: "some" }, { wait: 50 }, { die: 1 }] });
    const { natives } = await place.open();
    const shell = new natives.Shell();
    await expect(shell.run({ command: "x" })).rejects.toMatchObject({
      code: "PI_PLACE_LOST",
      place: "far",
      message: expect.stringMatching(/^The connection to far was cut [\d.]+ s into the command/),
    });
  });

  it("that may not have begun is said to be one", async () => {
    const { natives } = await fakePlace({ steps: [{ die: 1 }] }).open();
    await expect(new natives.Shell().run({ command: "x" })).rejects.toMatchObject({
      code: "PI_PLACE_LOST",
      message: expect.stringContaining("It may have run."),
    });
  });

  it("names the lease where the far side ended it for silence", async () => {
    const { natives } = await fakePlace({ steps: [{ started: 1 }, { bye: "lease" }] }).open();
    await expect(new natives.Shell().run({ command: "x" })).rejects.toThrow(
      "heard nothing for 60 s and ended everything",
    );
  });

  it("that the place itself ended is a result with the reason", async () => {
    const steps = [{ started: 1 }, { text: "some" }, { end: { cancelled: true }, endedBy: "terminated" }];
    const { natives } = await fakePlace({ steps }).open();
    expect(await new natives.Shell().run({ command: "x" })).toMatchObject({
      cancelled: true,
      endedByPlace: "far ended the command: terminated.",
    });
  });

  it("is given up where the place does not report its end", { timeout: 30_000 }, async () => {
    const { natives } = await fakePlace({ steps: [{ started: 1 }] }).open();
    await expect(new natives.Shell().run({ command: "x", timeoutMs: 10 })).rejects.toMatchObject({
      code: "PI_PLACE_LOST",
      message: expect.stringContaining("did not report the end"),
    });
  });

  it("is cut where nothing is heard for the whole lease", async () => {
    const place = fakePlace({ saysPid: true, steps: [{ started: 1 }, { text: "up" }] }, { leaseMs: 600 });
    const { natives, facts } = await place.open();
    // A stopped program is what a machine that sleeps looks like from here.
    const stop = (): unknown => process.kill(Number(facts.host), "SIGSTOP");
    const run = new natives.Shell().run({ command: "x" }, stop).catch((error: unknown) => error);
    expect(await run).toMatchObject({
      code: "PI_PLACE_LOST",
      message: expect.stringContaining("nothing was heard for 0.6 s"),
    });
  });

  it("goes on over a link that is quiet for longer than the lease, because of pings", async () => {
    const { natives } = await fakePlace(
      { steps: [{ started: 1 }, { wait: 1_500 }, { end: { exitCode: 4 } }] },
      { leaseMs: 500 },
    ).open();
    expect(await new natives.Shell().run({ command: "x" })).toMatchObject({ exitCode: 4 });
  });

  it("of a session that was closed is refused, and closing twice is fine", async () => {
    const { natives } = await fakePlace({ steps: [{ end: {} }] }).open();
    const shell = new natives.Shell();
    await shell.run({ command: "x" });
    await shell.close();
    await shell.close();
    await expect(shell.run({ command: "x" })).rejects.toMatchObject({ code: "PI_SHELL_CLOSED" });
  });
});

function fakePlaceLater(script: object) {
  return () => fakePlace(script);
}
