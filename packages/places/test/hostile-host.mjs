/**
 * A far side that lies. `argv[2]` is JSON: `hello` (members of its `Hello`), `says` (text before its frames, in base64),
 * `answers` (what operations are answered with, by name), and frames that follow the `Hello` or a `Run`: `after` and `run`, each
 * `{kind, channel?, flags?, payload?, object?, size?, times?}` (`channel` −1: the one that was asked; `payload` in base64; `size`:
 * so many bytes of zero). `"@DEEP@"` and `@LONG@` in them are an array of 300,000 arrays, and as long a text. It shares no code with the near side and reads nothing more where `isDeaf`.
 */
import { frame, HELLO, readFrames } from "./far-frames.mjs";

const script = JSON.parse(process.argv[2] ?? "{}");
const { hello = {}, says = "", answers = {}, after = [], run = [], isDeaf = false } = script;

/** What no argument of a program could hold. */
const BOMBS = { '"@DEEP@"': `${"[".repeat(300_000)}${"]".repeat(300_000)}`, "@LONG@": "y".repeat(300_000) };
function json(value) {
  let text = typeof value === "string" ? value : JSON.stringify(value);
  for (const [name, bomb] of Object.entries(BOMBS)) text = text.replaceAll(name, bomb);
  return Buffer.from(text);
}

async function write(bytes) {
  if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once("drain", resolve));
}

async function play(steps, asked) {
  for (const { kind, channel = -1, flags = 0, payload, object, size = 0, times = 1 } of steps) {
    const body = object === undefined ? Buffer.from(payload ?? "", "base64") : json(object);
    const bytes = frame(kind, channel === -1 ? asked : channel, size > 0 ? Buffer.alloc(size) : body, flags);
    const many = Math.max(1, Math.min(times, Math.floor(65_536 / bytes.length)));
    const block = Buffer.concat(Array.from({ length: many }, () => bytes));
    for (let left = times; left > 0; left -= many)
      await write(left >= many ? block : block.subarray(0, left * bytes.length));
  }
}

function take(kind, channel, payload) {
  if (kind === 1) {
    void write(frame(1, 0, json(typeof hello === "string" ? hello : { ...HELLO, ...hello }))).then(() =>
      play(after, 0),
    );
    if (isDeaf) process.stdin.pause();
  } else if (kind === 7) void write(frame(8, 0, payload));
  else if (kind === 2) {
    const steps = answers[JSON.parse(payload.toString()).op] ?? [{ kind: 12, object: { ok: {} } }];
    void play(steps, channel);
  } else if (kind === 3) void play(run, channel);
  else if (kind === 9) process.exit(0);
}

readFrames(take);
process.stdout.on("error", () => process.exit(0));
if (says) process.stdout.write(Buffer.from(says, "base64"));
