/**
 * A far side that speaks frames by a script: each test says what it does, and what it must not get away with. It shares no
 * code with the near side. `argv[2]` is JSON: the steps of a run, and how it greets.
 *
 * A step is `{text}`, `{late: n}` (a text whose offset is n), `{started}`, `{end}`, `{wait: ms}`, `{raw: base64}`, `{flood: bytes}` (as
 * much text as credit allows), `{cancelled}` (goes on when a `Cancel` came), `{bye: reason}`, `{die: status}`.
 */
import { appendFileSync } from "node:fs";
import { frame as frameOf, HELLO, readFrames } from "./far-frames.mjs";

const script = JSON.parse(process.argv[2] ?? "{}");
const { steps = [], hello = {}, says = "", stderr = "", log, isMute = false } = script;

const KIND = {
  hello: 1,
  request: 2,
  run: 3,
  credit: 4,
  cancel: 5,
  data: 6,
  ping: 7,
  pong: 8,
  bye: 9,
  answer: 12,
  started: 13,
  text: 14,
  end: 16,
};

const frame = (kind, channel, payload) => process.stdout.write(frameOf(kind, channel, payload));
const object = (kind, channel, value) => frame(kind, channel, JSON.stringify(value));

const note = (what) => log && appendFileSync(log, `${JSON.stringify(what)}\n`);
const waiting = new Set();
const wake = () => {
  for (const go of [...waiting]) go();
};
const until = (condition) =>
  new Promise((resolve) => {
    const look = () => {
      if (!condition()) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });

const OUTCOME = { exitCode: 0, cancelled: false, timedOut: false, sessionReset: false, survivors: [], wallTimeMs: 1 };

async function play(channel, run) {
  const state = runs.get(channel);
  const text = (offset, bytes) => {
    const head = Buffer.alloc(8);
    head.writeBigUInt64LE(BigInt(offset));
    frame(KIND.text, channel, Buffer.concat([head, bytes]));
  };
  for (const step of steps) {
    if ("wait" in step) await new Promise((resolve) => setTimeout(resolve, step.wait));
    if ("started" in step) object(KIND.started, channel, {});
    if ("text" in step) {
      text(state.sent, Buffer.from(step.text));
      state.sent += Buffer.byteLength(step.text);
    }
    if ("late" in step) text(step.late, Buffer.from("again"));
    if ("flood" in step) {
      for (let left = step.flood; left > 0; ) {
        await until(() => state.limit > state.sent);
        const size = Math.min(left, 65_536, state.limit - state.sent);
        text(state.sent, Buffer.alloc(size, "y"));
        state.sent += size;
        left -= size;
        note({ sent: state.sent });
      }
    }
    if ("raw" in step) process.stdout.write(Buffer.from(step.raw, "base64"));
    if ("cancelled" in step) await until(() => state.isCancelled);
    if ("bye" in step) object(KIND.bye, 0, { reason: step.bye });
    if ("die" in step) process.exit(step.die);
    if ("end" in step) object(KIND.end, channel, { ok: { ...OUTCOME, ...step.end }, endedBy: step.endedBy });
  }
  void run;
}

const runs = new Map();

function take(kind, channel, payload) {
  note({ kind, channel, payload: payload.length > 200 ? payload.length : payload.toString("latin1") });
  if (kind === KIND.hello && !isMute) {
    object(KIND.hello, 0, {
      ...HELLO,
      ...(script.saysPid ? { host: String(process.pid) } : {}),
      ...hello,
    });
  }
  if (kind === KIND.ping && !isMute) frame(KIND.pong, 0, payload);
  if (kind === KIND.request) object(KIND.answer, channel, { ok: {} });
  if (kind === KIND.run) {
    const run = JSON.parse(payload.toString());
    runs.set(channel, { sent: 0, limit: run.window, isCancelled: false });
    void play(channel, run);
  }
  if (kind === KIND.credit) {
    const state = runs.get(channel);
    if (state) state.limit = Number(payload.readBigUInt64LE(0)) + payload.readUInt32LE(8);
    wake();
  }
  if (kind === KIND.cancel) {
    const state = runs.get(channel);
    if (state) state.isCancelled = true;
    wake();
  }
  if (kind === KIND.bye) process.exit(0);
}

readFrames(take);
if (stderr) process.stderr.write(stderr);
if (says) process.stdout.write(says);
if (script.dies !== undefined) setTimeout(() => process.exit(script.dies), 20);
