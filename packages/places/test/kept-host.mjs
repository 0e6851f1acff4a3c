/**
 * A far side that is kept and come back to, by a script. It runs once for each connection and shares no code with the near side.
 *
 * `argv[2]` is JSON: `log` (a file in which each connection writes what it heard) and `connections`, the script of each: `hello`
 * (members of its `Hello`), `bye` (what answers the first frames instead), `state` (what `Attached` says of each run), `attached` (its
 * runs, where they are others), `sessions` (what `list` says), `dies` (the kind of frame that ends it), `dumb` (writes these words to
 * standard error and ends), and steps: `run` after a `Run`, `back` after the answer to `list`, `early` right after `Attached`. A
 * step is `{started}`, `{text, at}`, `{end}`, `{wait: ms}`, `{goodbye: reason}` or `{die}`, on the channel of the newest run.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { frame, HELLO, readFrames } from "./far-frames.mjs";

const { log, connections } = JSON.parse(process.argv[2]);
const words = process.argv.slice(3);
const named = words.indexOf("pi-host");
const nonce = words[named + 1];
const [verb, instance] = words.slice(named + 3);
const number = existsSync(log) ? readFileSync(log, "utf8").split('"verb"').length - 1 : 0;
const script = connections[Math.min(number, connections.length - 1)];
const note = (what) => appendFileSync(log, `${JSON.stringify({ number, at: Date.now(), ...what })}\n`);
note({ verb, instance, words, env: process.env });

const send = (kind, channel, value) => process.stdout.write(frame(kind, channel, JSON.stringify(value)));
const die = () => {
  note({ died: true });
  process.exit(1);
};

let channel = 1;
async function play(steps = []) {
  for (const step of steps) {
    if ("wait" in step) await new Promise((resolve) => setTimeout(resolve, step.wait));
    if ("started" in step) send(13, channel, {});
    if ("text" in step) {
      const head = Buffer.alloc(8);
      head.writeBigUInt64LE(BigInt(step.at));
      process.stdout.write(frame(14, channel, Buffer.concat([head, Buffer.from(step.text)])));
    }
    if ("end" in step) {
      const ok = { cancelled: false, timedOut: false, sessionReset: false, survivors: [], wallTimeMs: 1, ...step.end };
      send(16, channel, { ok, ...step.with });
    }
    if ("goodbye" in step) send(9, 0, { reason: step.goodbye });
    if ("die" in step) process.stdout.write("", die);
  }
}

function take(kind, on, payload) {
  const value = kind === 4 || kind === 7 || payload.length === 0 ? undefined : JSON.parse(payload.toString());
  note({ kind, channel: on, value, bytes: kind === 4 ? payload.toString("hex") : undefined });
  if (script.dies === kind) return die();
  const isFirst = kind === (verb === "stdio" ? 1 : 10);
  if (isFirst && script.bye) {
    send(9, 0, script.bye);
    process.stdout.write("", () => process.exit(4));
  } else if (isFirst) {
    send(1, 0, { ...HELLO, bootId: "boot", ...(verb === "stdio" ? { token: "secret-token" } : {}), ...script.hello });
    if (verb === "attach") {
      channel = value.runs[0]?.channel ?? channel;
      const runs =
        script.attached ?? value.runs.map((run) => ({ channel: run.channel, id: run.id, state: script.state }));
      send(11, 0, { runs });
      void play(script.early);
    }
  } else if (kind === 2) {
    const isList = value.op === "list";
    send(12, on, { ok: isList ? { sessions: script.sessions ?? [1], runs: [] } : {} });
    if (isList) void play(script.back);
  } else if (kind === 3) {
    channel = on;
    void play(script.run);
  } else if (kind === 7) process.stdout.write(frame(8, 0, payload));
  else if (kind === 9) {
    send(9, 0, { reason: "closed" });
    process.stdout.write("", () => process.exit(0));
  }
}

if (script.dumb) {
  process.stderr.write(`${script.dumb}\n`);
  process.exit(255);
}
process.stdout.write(`\nPI-HOST ${nonce} ready\n`);
readFrames(take);
