/** The built program (`npm run build`, since that is what is installed) as a process of one test. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";

const PROGRAM = fileURLToPath(new URL("../bin/pi-bash.mjs", import.meta.url));
/** A process that takes longer than this hangs: it is killed. */
const LIMIT_MS = 50_000;

/** A process, its folder, and its exit status: null where a signal ended it. */
export interface BuiltProgram {
  readonly child: ChildProcessWithoutNullStreams;
  readonly folder: string;
  readonly ended: Promise<number | null>;
}

/** Starts `pi-bash` with these words, in a new folder that is its home too. It ends with the test. */
export function startProgram(
  words: readonly string[],
  folder = scratchFolder(),
  env: Readonly<Record<string, string>> = {},
): BuiltProgram {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  // A program that refuses its words reads nothing.
  child.stdin.on("error", () => undefined);
  return { child, folder, ended: new Promise((resolve) => child.once("close", resolve)) };
}

/** Runs `pi-bash` to its end with `input` as its standard input. */
export async function runProgram(
  words: readonly string[],
  input = "",
  folder?: string,
  env: Readonly<Record<string, string>> = {},
) {
  const { child, ended } = startProgram(words, folder, env);
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await ended, stdout, stderr };
}

/** Runs a script of bash in which `pi` is the program, in a folder that is its temporary folder, too. */
export async function inShell(script: string, folder = scratchFolder()) {
  const child = spawn("bash", ["-c", `pi() { "${process.execPath}" "${PROGRAM}" "$@"; }\n${script}`], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, XDG_RUNTIME_DIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, left: streamFolders(folder) };
}

/** Names of the folders for input and standard error of `pi-bash run` whose runtime folder this is. */
export function streamFolders(runtime: string): string[] {
  const own = readdirSync(runtime).filter((name) => /^pi-bash-\d+$/.test(name));
  return own.flatMap((name) => readdirSync(join(runtime, name)).filter((folder) => folder.startsWith("run-")));
}

/** Writes `chunk` again and again to a program's input, `bytes` in all, and ends it. Resolves with the SHA-256 of it all. */
export async function feed({ stdin }: ChildProcessWithoutNullStreams, chunk: Buffer, bytes: number): Promise<string> {
  const hash = createHash("sha256");
  for (let written = 0; written < bytes; written += chunk.length) {
    hash.update(chunk);
    if (!stdin.write(chunk)) await new Promise((resolve) => stdin.once("drain", resolve));
  }
  stdin.end();
  return hash.digest("hex");
}
