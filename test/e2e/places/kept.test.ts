/**
 * Connections that break: what a session reads of it where a cut ends everything, and where it is kept and come back to. One test
 * for each row of docs/places.md "When it breaks" that needs a cut; the others are in `sessions.ts` and `packages/places/test`.
 */
import { randomInt } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createExecutor, type Executor } from "@pi-bash/executor";
import type { RemotePlace } from "@pi-bash/places";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import {
  absenceOfPlace,
  childrenOf,
  type PlaceKind,
  type PlaceOptions,
  processesWith,
  programOf,
  startPlaces,
  type TestPlaces,
} from "../../support/places.ts";
import { scratchFolder } from "../../support/scratch.ts";

const LIMIT_MS = 90_000;
/** Long enough for every test that comes back in time, in milliseconds. */
const KEEP_MS = 60_000;

describe.each(["command", "sshd"] satisfies PlaceKind[])("a kept place of the kind %s", (kind) => {
  const absence = absenceOfPlace(kind);
  const why = absence === undefined ? "" : ` (skipped: ${absence})`;
  let places: TestPlaces;

  beforeAll(async () => {
    if (absence === undefined) places = await startPlaces(kind);
  }, LIMIT_MS);
  afterAll(() => places?.stop(), LIMIT_MS);

  const test = (name: string, body: () => Promise<void>): void =>
    it.skipIf(absence !== undefined)(`${name}${why}`, { timeout: LIMIT_MS }, body);

  /** An executor on a place whose connections `shut` keeps from coming back. */
  function open(options: PlaceOptions = {}): Opened & { readonly keepMs: number } {
    // It stands in the command line of what is kept, so that a test finds its own.
    const keepMs = KEEP_MS + randomInt(1_000_000);
    const gate = join(scratchFolder(), "gate");
    const place = places.make({ onCut: { keepMs }, gate, ...options });
    const executor = createExecutor({}, { place, usesSnapshot: false });
    onTestFinished(async () => {
      rmSync(gate, { force: true });
      await executor.dispose();
      await place.close();
    }, LIMIT_MS);
    const shut = (words: string): void => writeFileSync(gate, `${words}\n`);
    return { executor, place, shut, reopen: () => rmSync(gate), keepMs };
  }

  test("goes on with a command whose connection was cut, and says for how long it was away", async () => {
    const { executor, place } = open();
    await executor.executeBash("A=kept; cd /usr");
    let live = "";
    const run = executor.executeBash('for i in {1..60}; do echo "$i é€😀"; sleep 0.02; done', {
      onChunk: (text) => {
        live += text;
      },
    });
    await until("the first lines", () => live.includes("5 "));
    await place.cut();
    const result = await within("the command", run);
    const text = Array.from({ length: 60 }, (_, at) => `${at + 1} é€😀\n`).join("");
    expect(result).toMatchObject({ exitCode: 0, output: text, cancelled: false });
    expect(live).toBe(text);
    expect(result.notices?.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^The connection to \S+ was away for [\d.]+ s; the command went on\.$/),
    );
    expect(result.sessionReset).toBeUndefined();
    expect((await executor.executeBash("echo $A $PWD")).output).toBe("kept /usr\n");
  });

  test("keeps jobs, late output and what is asked for while it is away", async () => {
    const { executor, place, shut, reopen } = open();
    const { natives } = await place.open();
    const shell = new natives.Shell();
    const mark = newMark();
    await shell.run({ command: `sleep 300.${mark} & (sleep 0.5; echo late) & disown` });
    shut("no way");
    await place.cut();
    const asked = [
      shell.run({ command: "echo asked; jobs | wc -l", sink: {} }),
      shell.liveBackgroundJobCount(),
    ] as const;
    const stat = (await place.open()).files.stat("/usr");
    const other = executor.executeBash("echo other");
    reopen();
    expect((await within("the command", asked[0])).output?.text).toBe("asked\n1\n");
    expect(await within("the jobs", asked[1])).toBeGreaterThan(0);
    expect(await within("a path", stat)).toMatchObject({ kind: "directory" });
    expect(await within("another session", other)).toMatchObject({ exitCode: 0, output: "other\n" });
    await until("the late output", async () => (await shell.lateOutput()).includes("late"));
    await shell.close();
    await until("the job to end with its session", () => processesWith(`300.${mark}`).length === 0);
  });

  test("lets a command go on beside its session that is handed over while it is away", async () => {
    const { place, shut, reopen } = open();
    const { natives } = await place.open();
    const shell = new natives.Shell();
    await shell.run({ command: "A=kept" });
    const stop = new AbortController();
    let hasBegun = false;
    const long = shell.run({ command: "echo begun; sleep 300", signal: stop.signal }, () => {
      hasBegun = true;
    });
    await until("the command to run", () => hasBegun);
    shut("no way");
    await place.cut();
    const handed = shell.handOver();
    reopen();
    expect(await within("the hand-over", handed)).toBe(true);
    expect((await within("the next command", shell.run({ command: "echo $A", sink: {} }))).output?.text).toBe("kept\n");
    stop.abort();
    expect(await within("the first command", long)).toMatchObject({ cancelled: true });
    await shell.close();
  });

  test("ends a command that is cancelled while it is away, as soon as it is back", async () => {
    const { executor, place, shut, reopen } = open();
    await executor.executeBash("A=kept");
    const { run, mark, stop } = await begun(executor);
    shut("no way");
    await place.cut();
    stop.abort();
    expect(processesWith(`300.${mark}`)).not.toEqual([]);
    reopen();
    expect(await within("the cancelled command", run)).toMatchObject({ cancelled: true });
    await until("it to be ended", () => processesWith(`300.${mark}`).length === 0);
    expect((await executor.executeBash("echo $A")).output).toBe("kept\n");
  });

  test("does not have a cancelled call wait for a connection that stays away, and ends the command later", async () => {
    const { executor, place, shut, reopen } = open();
    const { run, mark, stop } = await begun(executor);
    shut("no way");
    await place.cut();
    stop.abort();
    expect(await within("the cancelled call", run, 20_000)).toMatchObject({
      lost: true,
      cancelled: true,
      output: expect.stringContaining("is not connected, and the end of the command is not known"),
    });
    expect(processesWith(`300.${mark}`)).not.toEqual([]);
    reopen();
    await until("the command to be ended over there", () => processesWith(`300.${mark}`).length === 0, 40_000);
  });

  test("ends a command at its own deadline while it is away", async () => {
    const { executor, place, shut, reopen } = open();
    const mark = newMark();
    let hasBegun = false;
    const run = executor.executeBash(`echo begun; sleep 300.${mark}`, {
      timeoutMs: 2_000,
      onUpdate: (tail) => {
        hasBegun ||= tail.includes("begun");
      },
    });
    await until("the command to run", () => hasBegun);
    shut("no way");
    await place.cut();
    await until("the deadline over there", () => processesWith(`300.${mark}`).length === 0);
    reopen();
    const result = await within("the command", run, 40_000);
    expect(result).toMatchObject({ timedOut: true, output: expect.stringContaining("begun") });
    expect(result.lost).toBeUndefined();
  });

  test("says that a command was lost when the connection does not come back in time, and begins again", async () => {
    const { executor, place, shut, reopen } = open({ onCut: { keepMs: 2_000 } });
    await executor.executeBash("A=1");
    const shell = new (await place.open()).natives.Shell();
    await shell.run({ command: "true" });
    const { run, mark } = await begun(executor);
    shut("no way");
    await place.cut();
    const later = shell.run({ command: "echo never" }).catch((error: unknown) => error);
    const lost = await within("the lost command", run, 30_000);
    expect(lost).toMatchObject({ lost: true, sessionReset: true });
    expect(lost.output).toContain(
      `The connection to ${place.name} was away for longer than 2 s; ${place.name} ends the command by itself.`,
    );
    expect(await later).toMatchObject({
      code: "PI_PLACE_UNREACHABLE",
      message: expect.stringMatching(/^The command was not started: .*no way/),
    });
    await until("the command to be ended over there", () => processesWith(`300.${mark}`).length === 0);
    reopen();
    expect(await executor.executeBash("echo [$A]")).toMatchObject({ output: "[]\n", sessionReset: true });
  });

  test("says that pi-host is gone where it was killed, and leaves nothing of it", async () => {
    const { executor, place, keepMs } = open();
    await executor.executeBash("A=1");
    const { run, mark } = await begun(executor);
    for (const pid of enginesOf(keepMs)) process.kill(pid, "SIGKILL");
    const lost = await within("the lost command", run, 30_000);
    expect(lost).toMatchObject({ lost: true, sessionReset: true, output: expect.stringContaining("has ended since") });
    await until("the command to be ended over there", () => processesWith(`300.${mark}`).length === 0);
    expect(await executor.executeBash("echo [$A]")).toMatchObject({ output: "[]\n", sessionReset: true });
    expect(place.restart).toBeUndefined();
  });

  test("reports where pi-host was asked to end over there, and does not come back to it", async () => {
    const { executor, keepMs } = open();
    const { run } = await begun(executor);
    for (const pid of enginesOf(keepMs)) process.kill(pid, "SIGTERM");
    expect(await within("the ended command", run, 30_000)).toMatchObject({
      cancelled: true,
      output: expect.stringContaining("terminated"),
    });
    expect(await executor.executeBash("echo again")).toMatchObject({ output: "again\n", sessionReset: true });
  });

  // What the words of another program mean is not known.
  if (kind === "sshd")
    test("stops at once where it is not let in any more", async () => {
      const { executor, place, shut } = open();
      const { run } = await begun(executor);
      shut("lab@127.0.0.1: Permission denied (publickey).");
      await place.cut();
      const lost = await within("the lost command", run, 10_000);
      expect(lost).toMatchObject({ lost: true, output: expect.stringContaining("Permission denied (publickey)") });
    });

  test("is ended with everything by its close, also where the connection was cut just before", async () => {
    for (const way of ["stands", "cut", "killed"]) {
      const { executor, place, keepMs } = open();
      const mark = newMark();
      await executor.executeBash(`setsid sleep 300.${mark} & echo started`);
      if (way === "cut") await place.cut();
      if (way === "killed") for (const pid of clients()) process.kill(pid, "SIGKILL");
      await within(`the close of one that ${way}`, place.close(), 30_000);
      await until(`nothing to be left of one that ${way}`, () => {
        return processesWith(`300.${mark}`).length === 0 && processesWith(`\0--keep-ms\0${keepMs}`).length === 0;
      });
    }
  });
});

interface Opened {
  readonly executor: Executor;
  readonly place: RemotePlace;
  /** From now on no connection comes to stand; these are its last words. */
  shut(words: string): void;
  reopen(): void;
}

/** A command that runs until it is ended, once it has begun. */
async function begun(executor: Executor): Promise<{
  run: ReturnType<Executor["executeBash"]>;
  mark: string;
  stop: AbortController;
}> {
  const mark = newMark();
  const stop = new AbortController();
  let hasBegun = false;
  const run = executor.executeBash(`echo begun; sleep 300.${mark}`, {
    signal: stop.signal,
    onUpdate: (tail) => {
      hasBegun ||= tail.includes("begun");
    },
  });
  await until("the command to run", () => hasBegun);
  return { run, mark, stop };
}

/** Digits that stand in no other command line: `sleep` takes them as a fraction of its seconds. */
function newMark(): string {
  return String(randomInt(1e14, 2e14));
}

/** Engines that are kept for so long. Each test has a time of its own, which no other process has in its command line. */
function enginesOf(keepMs: number): number[] {
  return processesWith(`\0serve\0--keep-ms\0${keepMs}`);
}

/** The programs of this process that carry connections. */
function clients(): number[] {
  return childrenOf().filter((pid) => /^(?:ssh|pi-host.*)$/.test(programOf(pid)));
}
