/**
 * The same over a place of ours: a plain builtin in a session, live text, a large output that stays over there, many sessions.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { command, type OpenedPlace } from "@pi-bash/places";
import type { Answering } from "./bare.ts";

/** What of a large output the model would see, in bytes. */
const WINDOW_BYTES = 50 * 1024;

/** A session that stands, whose question is a plain builtin. */
export async function openSession({ natives }: OpenedPlace): Promise<Answering> {
  const shell = new natives.Shell();
  const roundTrip = async (): Promise<number> => {
    const started = performance.now();
    await shell.run({ command: ":" });
    return performance.now() - started;
  };
  await roundTrip();
  return { roundTrip, [Symbol.asyncDispose]: () => shell.close() };
}

/** MiB a second of `file` through a listener, from the first text on. */
export async function liveRateOf({ natives }: OpenedPlace, file: string): Promise<number> {
  const shell = new natives.Shell();
  await shell.run({ command: ":" });
  let bytes = 0;
  let started = 0;
  await shell.run({ command: `cat ${file}` }, (_error, text) => {
    if (bytes === 0) started = performance.now();
    bytes += text.length;
  });
  const seconds = (performance.now() - started) / 1_000;
  await shell.close();
  return bytes / 1024 ** 2 / seconds;
}

/** Makes a file of `bytes` bytes of lines over there, and returns its path. */
export async function makeFile({ natives }: OpenedPlace, bytes: number): Promise<string> {
  const path = `/tmp/pi-bash-bench-${process.pid}.txt`;
  await natives.executeShell({ command: `yes ${"0123456789".repeat(6)} | head -c ${bytes} > ${path}` });
  return path;
}

/** Removes it. */
export async function removeFile({ natives }: OpenedPlace, path: string): Promise<void> {
  await natives.executeShell({ command: `rm -f ${path}` });
}

/** What a large output costs that stays over there. */
export interface FarSink {
  readonly seconds: number;
  /** Bytes that crossed the link towards this side, from its first byte on. */
  readonly linkBytes: number;
}

/** A command that writes `bytes` bytes into the sink of a `pi-host` whose stream to this side is counted. */
export async function farSinkOf(hostBinary: string, folder: string, bytes: number): Promise<FarSink> {
  const counted = join(folder, "link");
  const words = ["bash", "-c", 'exec "$0" stdio > >(exec tee "$1")', hostBinary, counted];
  await using place = command(words, { isWhole: true, name: "counted" });
  const { natives } = await place.open();
  const shell = new natives.Shell();
  await shell.run({ command: ":" });
  const started = performance.now();
  await shell.run({
    command: flood(bytes),
    sink: { maxBytes: WINDOW_BYTES, spillPath: join(folder, "far-spill"), onUpdate: () => undefined },
  });
  const seconds = (performance.now() - started) / 1_000;
  await shell.close();
  return { seconds, linkBytes: statSync(counted).size };
}

/** A command that writes so many bytes of lines. */
export function flood(bytes: number): string {
  return `yes ${"0123456789".repeat(6)} | head -c ${bytes}`;
}

/** What many sessions cost. */
export interface ManySessions {
  readonly seconds: number;
  /** Resident memory of `pi-host` while all stand, in KiB. */
  readonly hostKib: number;
}

/** Opens `count` sessions at once over one link, each with a command of its own, and closes them. */
export async function manySessionsOf({ natives }: OpenedPlace, count: number): Promise<ManySessions> {
  const shells = Array.from({ length: count }, () => new natives.Shell());
  const started = performance.now();
  const answers = await Promise.all(
    shells.map((shell, at) => shell.run({ command: `x=${at}; echo $x`, sink: { maxBytes: 1_024 } })),
  );
  const seconds = (performance.now() - started) / 1_000;
  const wrong = answers.filter(({ output }, at) => output?.text.trim() !== String(at)).length;
  if (wrong > 0) throw new Error(`${wrong} of ${count} sessions gave another answer`);
  const [first] = shells;
  const memory = await first?.run({ command: HOST_MEMORY, sink: { maxBytes: 1_024 } });
  await Promise.all(shells.map((shell) => shell.close()));
  return { seconds, hostKib: Number(memory?.output?.text ?? Number.NaN) };
}

/** The shell's parent is the supervisor, whose parent is `pi-host`. */
const HOST_MEMORY = [
  "while read -r name value _; do [[ $name == PPid: ]] && host=$value; done < /proc/$PPID/status",
  "while read -r name value _; do [[ $name == VmRSS: ]] && echo $value; done < /proc/$host/status",
].join("; ");
