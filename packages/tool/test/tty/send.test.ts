/** What a send types: checked before anything of it is done, in one order, one send after the other. */
import { Settings, type SettingsInput, type TaskSendParams } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { parseKey } from "../../src/tasks/tty-keys.ts";
import { sendInTurn, sendingOf } from "../../src/tasks/tty-send.ts";
import { ToolAbortError, ToolError } from "../../src/tool-error.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { scene, thrown } from "../support/session.ts";

type Sent = Omit<TaskSendParams, "task_id">;

const sending = (sent: Sent) => sendingOf({ task_id: "bash:bg_1", ...sent });

/** A played terminal, and sends to it. */
function desk(facts: Parameters<typeof playedTerminal>[0] = {}, settings: SettingsInput = {}) {
  const played = playedTerminal(facts);
  const { session } = scene(settings);
  const send = (sent: Sent, signal?: AbortSignal): Promise<string[]> =>
    sendInTurn(session, {
      taskId: "bash:bg_1",
      terminal: played.terminal,
      sending: sending(sent),
      settings: Settings.parse(settings),
      signal,
    });
  return { ...played, send };
}

describe("what is sent", () => {
  it("is a text with Enter unless that is left out", () => {
    expect(sending({ text: "y" })).toStrictEqual({
      size: undefined,
      signal: undefined,
      text: "y",
      enter: true,
      keys: [],
    });
    expect(sending({ text: "y", enter: false }).enter).toBe(false);
    expect(sending({ text: "" }).enter).toBe(true);
    expect(sending({ keys: ["Up"] })).toMatchObject({ enter: false, keys: [parseKey("Up")] });
  });

  it.each<[Sent]>([[{ signal: "INT" }], [{ size: { cols: 80, rows: 24 } }], [{ keys: ["Up"] }], [{ text: "" }]])(
    "may be %j alone",
    (sent) => {
      expect(() => sending(sent)).not.toThrow();
    },
  );

  it("has to be something, and `enter` needs a text", () => {
    expect(() => sending({})).toThrow(/^Nothing to send: give `text`/);
    expect(() => sending({ keys: [] })).toThrow(/^Nothing to send/);
    expect(() => sending({ enter: true })).toThrow(/^Nothing to send/);
    expect(() => sending({ enter: true, keys: ["Up"] })).toThrow(/^`enter` goes with `text`/);
    expect(() => sending({ enter: false, keys: ["Up"] })).not.toThrow();
    expect(() => sending({ enter: true, text: "y" })).not.toThrow();
  });

  it("is text without controls: their place is named", () => {
    expect(() => sending({ text: "a\tb\nc\r" })).not.toThrow();
    expect(() => sending({ text: "ab\u0003" })).toThrow(
      "`text` has the control character U+0003 at position 3; use `keys`",
    );
    expect(() => sending({ text: "\u001bx" })).toThrow("control character U+001B at position 1;");
    expect(() => sending({ text: "\u009f" })).toThrow("control character U+009F at position 1;");
    expect(() => sending({ text: "a\ud800" })).toThrow(/half of a character/);
    expect(() => sending({ text: "😀" })).not.toThrow();
  });
});

describe("a send", () => {
  it("does all of it in its order", async () => {
    const { send, done } = desk();
    expect(await send({ text: "a", keys: ["Up", "Ctrl-C"], signal: "INT", size: { cols: 10, rows: 5 } })).toEqual([]);
    expect(done).toEqual(["size 10x5", "signal INT", "a", "\r", "\u001b[A", "\u0003"]);
  });

  it("types nothing for an empty text but Enter", async () => {
    const { send, done } = desk();
    expect(await send({ text: "" })).toEqual([]);
    await send({ text: "", enter: false, keys: ["Tab"] });
    expect(done).toEqual(["\r", "\t"]);
  });

  it("has the form of arrow keys that the program asked for", async () => {
    const { send, done } = desk({ isApplicationCursor: true });
    await send({ keys: ["Up", "Shift-Up"] });
    expect(done).toEqual(["\u001bOA", "\u001b[1;2A"]);
  });

  it("has every end of a line as Enter, unless the program takes pastes", async () => {
    const plain = desk({ encodePaste: () => "" });
    await plain.send({ text: "a\nb\r\nc\rd", enter: false });
    expect(plain.done).toEqual(["a\rb\rc\rd"]);
    const takes = desk({ encodePaste: (text) => `<${text}>` });
    await takes.send({ text: "a\nb" });
    await takes.send({ text: "ab" });
    expect(takes.done).toEqual(["<a\nb>", "\r", "ab", "\r"]);
  });

  it("says what became of an invalid size", async () => {
    const { send } = desk({ resize: () => ({ cols: 500, rows: 5 }) });
    expect(await send({ size: { cols: 900, rows: 5 } })).toEqual(["Size clamped to 500x5 (requested 900x5)."]);
    const flat = desk({ resize: () => ({ cols: 9, rows: 2 }) });
    expect(await flat.send({ size: { cols: 9, rows: 1 } })).toEqual(["Size clamped to 9x2 (requested 9x1)."]);
  });

  it("is refused where a line is longer than the kernel takes", async () => {
    const { send, done, set } = desk();
    const longest = "é".repeat(2_047);
    await send({ text: `${longest}x\n${longest}y`, enter: false });
    expect(done.splice(0)).toHaveLength(1);
    const error = await thrown(send({ text: `a\n${longest}xy` }));
    expect(error.message).toBe(
      "A line of 4096 bytes cannot be typed to `rm` of bash:bg_1: its terminal takes at most 4095. Put it into a file.",
    );
    set({ waiting: { kind: "secret", program: "rm", since_ms: 0, certain: true } });
    expect((await thrown(send({ text: "x".repeat(4_096) }))).message).toMatch(/^A line of 4096 bytes/);
    expect(done).toEqual([]);
    set({ waiting: { kind: "key", program: "rm", since_ms: 0, certain: true } });
    await send({ text: "x".repeat(4_096), enter: false });
    set({ waiting: undefined });
    await send({ text: "x".repeat(4_096), enter: false });
    expect(done).toHaveLength(2);
  });

  it("is refused to one that has ended, and where a person has it", async () => {
    const over = desk({ isOver: true });
    expect((await thrown(over.send({ text: "a", size: { cols: 9, rows: 9 } }))).message).toBe(
      "bash:bg_1 has ended; nothing was typed.",
    );
    const held = desk({ holder: "person" });
    expect((await thrown(held.send({ text: "a", size: { cols: 9, rows: 9 } }))).message).toBe(
      "A person has the terminal of bash:bg_1; you are notified when it is handed back.",
    );
    expect([...over.done, ...held.done]).toEqual([]);
  });

  it("stops where the program ends or a person takes it in between", async () => {
    const ends = desk();
    Object.assign(ends.terminal, { write: (data: string) => ends.set({ isOver: ends.done.push(data) > 0 }) });
    await ends.send({ text: "a" });
    expect(ends.done).toEqual(["a"]);
    const taken = desk();
    Object.assign(taken.terminal, {
      write: (data: string) => taken.set({ holder: taken.done.push(data) > 0 ? "person" : undefined }),
    });
    expect(await thrown(taken.send({ text: "a" }))).toBeInstanceOf(ToolError);
    expect(taken.done).toEqual(["a"]);
  });

  it("of a call that was aborted does nothing", async () => {
    const { send, done } = desk();
    expect(await thrown(send({ text: "a" }, AbortSignal.abort()))).toBeInstanceOf(ToolAbortError);
    const unlooked = desk({ reader: undefined, until: () => Promise.reject(new Error("it was waited for")) });
    expect(await thrown(unlooked.send({ text: "a" }, AbortSignal.abort()))).toBeInstanceOf(ToolAbortError);
    const gone = new AbortController();
    const late = desk({
      reader: undefined,
      until: async () => {
        gone.abort();
        return "stopped";
      },
    });
    expect(await thrown(late.send({ text: "a", signal: "INT" }, gone.signal))).toBeInstanceOf(ToolAbortError);
    expect([...done, ...late.done]).toEqual([]);
  });

  it("waits for the program that will read it, where none is known, and only then", async () => {
    const waits: string[] = [];
    const until = async ({ timeoutMs, stop }: { timeoutMs: number; stop?: AbortSignal }) => {
      waits.push(`${timeoutMs} ms${stop === undefined ? "" : ", or its end"}`);
      return "waiting" as const;
    };
    const known = desk({ until });
    await known.send({ text: "a" });
    const unknown = desk({ until, reader: undefined });
    await unknown.send({ signal: "INT" });
    expect(waits).toEqual([]);
    await unknown.send({ text: "a" });
    await unknown.send({ text: "a" }, new AbortController().signal);
    expect(waits).toEqual(["1000 ms", "1000 ms, or its end"]);
  });

  it("that types nothing waits for the program's answer, for a moment", async () => {
    const { send, terminal, set, listeners } = desk();
    const sent = send({ signal: "INT" });
    const started = performance.now();
    await expect.poll(listeners).toBe(1);
    set({});
    await sent;
    expect(listeners()).toBe(0);
    expect(performance.now() - started).toBeLessThan(10_000);
    await send({ signal: "INT" });
    expect(listeners()).toBe(0);
    expect(terminal.isAttended).toBe(false);
  });

  it("takes its turn after the one before it, also where that one failed", async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const { send, done, terminal } = desk({
      reader: undefined,
      until: async () => {
        await gate;
        return "waiting";
      },
    });
    const first = send({ text: "a", enter: false });
    const second = thrown(send({ text: "x".repeat(5_000) }));
    const third = send({ keys: ["Tab"] });
    expect(terminal.isAttended).toBe(true);
    expect(done).toEqual([]);
    go();
    await Promise.all([first, second, third]);
    expect(done).toEqual(["a", "\t"]);
    expect(terminal.isAttended).toBe(false);
  });

  it("lets some time pass after an Escape, which would change the key behind it", async () => {
    const { send, terminal } = desk();
    const at: number[] = [];
    Object.assign(terminal, { write: () => void at.push(performance.now()) });
    await send({ keys: ["Escape", "Tab", "Tab"] });
    const [escaped = 0, next = 0] = at;
    expect(next - escaped).toBeGreaterThanOrEqual(45);
  });
});
