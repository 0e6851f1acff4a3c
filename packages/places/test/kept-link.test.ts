/** Links that come back, against a far side that plays a script (`kept-host.mjs`). The real one is in `test/e2e/places/kept.test.ts`. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { command, container, PlaceOptionError, type RemotePlace, slurm } from "../src/index.ts";

const program = fileURLToPath(new URL("kept-host.mjs", import.meta.url));
const RUN = 3;
const CREDIT = 4;
const CANCEL = 5;
const REQUEST = 2;
const PING = 7;
const ATTACH = 10;

interface Heard {
  readonly number: number;
  readonly at: number;
  readonly verb?: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly kind?: number;
  readonly channel?: number;
  readonly value?: Readonly<Record<string, unknown>>;
  readonly bytes?: string;
}

/** A place whose connections play these scripts, one after the other; the last one is played again. */
function keptPlace(connections: readonly object[], keepMs = 20_000): { place: RemotePlace; heard: () => Heard[] } {
  const folder = mkdtempSync(join(tmpdir(), "pi-places-"));
  const log = join(folder, "log");
  const argv = [process.execPath, program, JSON.stringify({ log, connections })];
  const place = command(argv, { name: "far", hostPath: "/far/pi-host", onCut: { keepMs } });
  onTestFinished(async () => {
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const heard = (): Heard[] =>
    (existsSync(log) ? readFileSync(log, "utf8") : "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  return { place, heard };
}

const BEGUN = { run: [{ started: 1 }, { text: "one", at: 0 }, { text: "two", at: 3 }, { wait: 20 }, { die: 1 }] };
const END = { end: { exitCode: 0 } };

/** One command in a session, and its live text. */
async function runOn(place: RemotePlace, onText?: (text: string) => unknown) {
  const { natives } = await place.open();
  const shell = new natives.Shell();
  let live = "";
  const run = shell.run({ command: "x" }, (_, text) => {
    live += text;
    return onText?.(text);
  });
  const settled = await run.then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  );
  return { ...settled, shell, live };
}

describe("a link that comes back", () => {
  it("names what was taken of each run, and gives out each byte once", async () => {
    const back = { state: "running", early: [{ text: "three", at: 6 }, END] };
    const { place, heard } = keptPlace([BEGUN, back]);
    const { result, live } = await runOn(place);
    expect(live).toBe("onetwothree");
    expect(result).toMatchObject({
      exitCode: 0,
      placeNotice: expect.stringMatching(/^The connection to far was away/),
    });
    expect(heard().find(({ kind }) => kind === ATTACH)?.value).toMatchObject({ runs: [{ channel: 2, offset: 6 }] });
  });

  it("asks again for text that its callback had not taken, and leaves out what it has", async () => {
    const early = [{ text: "onetwo", at: 0 }, { text: "three", at: 6 }, END];
    const { place, heard } = keptPlace([BEGUN, { state: "running", early }]);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    void until("the link to be back", () => heard().some(({ kind }) => kind === ATTACH)).then(() => release());
    const { live } = await runOn(place, () => held);
    expect(live).toBe("onetwothree");
    expect(heard().find(({ kind }) => kind === ATTACH)?.value).toMatchObject({ runs: [{ offset: 0 }] });
  });

  it("ends where the far side sends text again that was followed by other text", async () => {
    const early = [
      { text: "three", at: 6 },
      { text: "two", at: 3 },
    ];
    const { error } = await runOn(keptPlace([BEGUN, { state: "running", early }]).place);
    expect(error).toMatchObject({ code: "PI_PLACE_LOST", message: expect.stringContaining("text comes twice") });
  });

  it("gives credit at once, since credit that was lost would be waited for on both sides", async () => {
    const back = { state: "running", early: [{ wait: 300 }, END] };
    const { place, heard } = keptPlace([BEGUN, back]);
    await runOn(place);
    const [credit] = heard().filter(({ kind, number }) => kind === CREDIT && number === 1);
    const bytes = Buffer.from(credit?.bytes ?? "", "hex");
    expect([Number(bytes.readBigUInt64LE(0)), bytes.readUInt32LE(8)]).toEqual([6, 262_144]);
  });

  it("says how much live text was left out while it was away", async () => {
    const back = {
      state: "ended",
      early: [
        { text: "late", at: 1_006 },
        { ...END, with: { leftOutBytes: 1_000 } },
      ],
    };
    const { result, live } = await runOn(keptPlace([BEGUN, back]).place);
    expect(live).toBe("onetwolate");
    expect(result?.placeNotice).toMatch(/and 1000 bytes of its live output were left out\.$/);
  });

  it("sends a run again that the far side never got, under its first name", async () => {
    const { place, heard } = keptPlace([{ dies: RUN }, { state: "unknown", run: [{ started: 1 }, END] }]);
    const { result } = await runOn(place);
    expect(result).toMatchObject({ exitCode: 0 });
    const ids = heard()
      .filter(({ kind }) => kind === RUN)
      .map(({ value }) => value?.["id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it("does not send a run again that had begun: its end is not known", async () => {
    const { place, heard } = keptPlace([BEGUN, { state: "unknown" }]);
    const { error } = await runOn(place);
    expect(error).toMatchObject({
      code: "PI_PLACE_LOST",
      message: expect.stringContaining("does not have the command"),
    });
    expect(heard().filter(({ kind, number }) => kind === RUN && number === 1)).toEqual([]);
  });

  it("does not open a session twice whose opening had no answer", async () => {
    const run = [{ started: 1 }, END];
    for (const sessions of [[], [1]]) {
      const { place, heard } = keptPlace([{ dies: REQUEST }, { sessions, run }]);
      expect((await runOn(place)).result).toMatchObject({ exitCode: 0 });
      const opened = heard().filter(
        ({ kind, number, value }) => kind === REQUEST && number === 1 && value?.["op"] === "open",
      );
      expect(opened).toHaveLength(sessions.length === 0 ? 1 : 0);
    }
  });

  it("sends a cancel again, before anything else", async () => {
    const begun = { run: [{ started: 1 }, { wait: 100 }, { die: 1 }] };
    const { place, heard } = keptPlace([begun, { state: "running", back: [{ end: { cancelled: true } }] }]);
    const { natives } = await place.open();
    const stop = new AbortController();
    const run = new natives.Shell().run({ command: "x", signal: stop.signal });
    await until("the cut", () => heard().some((entry) => "died" in entry));
    stop.abort();
    expect(await run).toMatchObject({ cancelled: true });
    const [, first] = heard().filter(
      ({ number, kind }) => number === 1 && kind !== undefined && kind !== 1 && kind !== PING,
    );
    expect(first?.kind).toBe(CANCEL);
  });

  it("comes back where the far side only saw the end of a stream", async () => {
    const closed = { run: [{ started: 1 }, { goodbye: "closed" }] };
    const { result } = await runOn(keptPlace([closed, { state: "running", early: [END] }]).place);
    expect(result).toMatchObject({ exitCode: 0 });
  });

  it.each([
    [
      "another pi-host",
      { state: "running", hello: { instance: "another" } },
      /another pi-host than the one that was kept/,
    ],
    [
      "one after a restart",
      { state: "running", hello: { bootId: "other" } },
      /another pi-host than the one that was kept/,
    ],
    ["a run that was not asked for", { attached: [{ channel: 77, id: "x", state: "running" }] }, /not asked for/],
  ])("ends where it finds %s", async (_, back, message) => {
    const { error } = await runOn(keptPlace([BEGUN, back]).place);
    expect(error).toMatchObject({ code: "PI_PLACE_LOST", message: expect.stringMatching(message) });
  });

  it("tries again where what answers does not keep to the protocol, until the time is over", async () => {
    const back = { attached: [{ channel: "2" }] };
    const { place, heard } = keptPlace([BEGUN, back], 1_000);
    const { error } = await runOn(place);
    expect(String(error)).toContain(
      "The connection to far was away for longer than 1 s; far ends the command by itself.",
    );
    expect(heard().filter(({ verb }) => verb === "attach").length).toBeGreaterThan(1);
  });

  it("reports a version that this side does not speak, with what can be done", async () => {
    const detail = "pi-host 0.3.0 speaks protocol 2 to 3, and not 1 to 1";
    const { error, shell } = await runOn(keptPlace([BEGUN, { bye: { reason: "protocol", detail } }]).place);
    expect(error).toMatchObject({ code: "PI_PLACE_LOST" });
    expect(String(error)).toContain(detail);
    expect(String(error)).toContain("`pi-host end i`");
    await shell.close();
  });

  it("says that the machine was restarted where its next `Hello` says so", async () => {
    const gone = { bye: { reason: "gone" } };
    const { error } = await runOn(keptPlace([BEGUN, gone, { hello: { bootId: "next" } }]).place);
    expect(error).toMatchObject({
      code: "PI_PLACE_LOST",
      message: "far was restarted. The command did not finish, and the state of its session is lost.",
    });
  });

  it("says that pi-host has ended where the machine is the same", async () => {
    const { error } = await runOn(keptPlace([BEGUN, { bye: { reason: "gone" } }, {}]).place);
    expect(String(error)).toMatch(/The connection to far was cut \(.*\), and pi-host there has ended since/);
  });

  it("shows its token to the far side only, in `Attach`", async () => {
    const { place, heard } = keptPlace([BEGUN, { state: "running", early: [END] }]);
    await runOn(place);
    const [started] = heard().filter(({ verb }) => verb === "attach");
    expect(started?.words?.join(" ")).toMatch(/ attach i$/);
    expect(JSON.stringify(started)).not.toContain("secret-token");
    expect(heard().find(({ kind }) => kind === ATTACH)?.value).toMatchObject({ instance: "i", token: "secret-token" });
    expect(JSON.stringify(await place.open())).not.toContain("secret-token");
  });

  it("is refused where pi-host over there gives no token", async () => {
    const { place } = keptPlace([{ hello: { token: null } }]);
    await expect(place.open()).rejects.toMatchObject({
      code: "PI_PLACE_REFUSED",
      message: expect.stringContaining("gives no token"),
    });
  });

  it("settles a command at once that is cancelled before it could be sent", async () => {
    const { place, heard } = keptPlace([{ run: [{ started: 1 }, END] }, { dumb: "no way" }]);
    const { shell } = await runOn(place);
    await place.cut();
    const stop = new AbortController();
    const run = shell.run({ command: "y", signal: stop.signal });
    await until("a try to come back", () => heard().some(({ verb }) => verb === "attach"));
    stop.abort();
    expect(await run).toMatchObject({ cancelled: true, wallTimeMs: 0 });
    expect(heard().filter(({ kind }) => kind === RUN)).toHaveLength(1);
  });

  it("waits longer where connections come to stand and are cut before it is back", async () => {
    const { place, heard } = keptPlace([BEGUN, { state: "running", dies: REQUEST }]);
    const { natives } = await place.open();
    const run = new natives.Shell().run({ command: "x" }).catch((error: unknown) => error);
    const tries = (): number[] =>
      heard()
        .filter(({ verb }) => verb === "attach")
        .map(({ at }) => at);
    await until("three tries", () => tries().length >= 3);
    const [, second = 0, third = 0] = tries();
    expect(third - second).toBeGreaterThan(450);
    await place.close();
    expect(await run).toMatchObject({ code: "PI_PLACE_LOST" });
  });

  it("is refused where the way to the place ends what it carries", () => {
    const onCut = { keepMs: 5_000 };
    for (const make of [
      () => slurm({ onCut }),
      () => container({ runtime: "podman", image: "alpine", onCut }),
      () => command(["pi-host", "stdio"], { isWhole: true, onCut }),
    ]) {
      expect(make).toThrow(PlaceOptionError);
    }
    expect(() => command(["env"], { onCut: { keepMs: 1 } })).toThrow(PlaceOptionError);
  });
});
