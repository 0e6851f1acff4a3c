/**
 * A transport without us: what a round trip and a stream cost over it. The words are plain, since ssh's far shell reads them.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** Words that run a program over there, and the environment to call them with. */
export interface Way {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Bytes of one ping, its newline too: what waits for whole lines passes it on. */
const PING = `${"x".repeat(63)}\n`;

/** Something that answers. */
export interface Answering extends AsyncDisposable {
  /** Milliseconds of one question and its answer. */
  roundTrip(): Promise<number>;
}

/** A `cat` over there. It is connected. */
export async function openBare(way: Way): Promise<Answering> {
  const child = start(way, ["cat"], "pipe");
  const roundTrip = async (): Promise<number> => {
    const started = performance.now();
    child.stdin?.write(PING);
    await readBytes(child.stdout, PING.length);
    return performance.now() - started;
  };
  await roundTrip();
  return {
    roundTrip,
    [Symbol.asyncDispose]: async () => {
      child.stdin?.end();
      await once(child, "close");
    },
  };
}

/** MiB a second of `file`, which is over there, through a `cat`. */
export async function rateOf(way: Way, file: string): Promise<number> {
  const child = start(way, ["cat", file], "ignore");
  let bytes = 0;
  let started = 0;
  child.stdout.on("data", (piece: Buffer) => {
    // The connection is not the stream.
    if (bytes === 0) started = performance.now();
    bytes += piece.length;
  });
  await once(child, "close");
  return bytes / 1024 ** 2 / ((performance.now() - started) / 1_000);
}

function start(
  { argv, env }: Way,
  words: readonly string[],
  stdin: "pipe" | "ignore",
): ChildProcessByStdio<Writable | null, Readable, null> {
  const [file = "", ...rest] = [...argv, ...words];
  return spawn(file, rest, { env, stdio: [stdin, "pipe", "inherit"] }) as ChildProcessByStdio<
    Writable | null,
    Readable,
    null
  >;
}

async function readBytes(stream: Readable, wanted: number): Promise<void> {
  for (let missing = wanted; missing > 0; ) {
    const piece = stream.read() as Buffer | null;
    if (piece === null) await once(stream, "readable");
    else missing -= piece.length;
  }
}
