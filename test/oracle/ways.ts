/**
 * The three ways a script is run: by plain bash from a file, in a session, and as a one-shot; each in a new folder.
 *
 * The plain script is the file `bash` in its folder and is run as `bash bash`, so that `$0` and the messages of the plain
 * way read like ours; the other folders hold that file too, for the sake of globs. Standard output and error are one pipe.
 */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executeShell, Shell, type ShellRunResult } from "@pi-bash/natives";
import { within } from "../support/patience.ts";

/** What a script printed, and its exit status: 128 + n for signal n. */
export interface Answer {
  readonly output: string;
  readonly status: number | undefined;
}

/** Longest wait for the end of the output, where something outside of the script's process group has it, in milliseconds. */
const LEFT_BEHIND_MS = 500;

/** A way to run a script in `folder`. */
export type Way = (text: string, folder: string) => Promise<Answer>;

/** Enough for every script, in bytes. */
const MAX_BYTES = 1_000_000;

/** A small environment, the same for all: what a variable of the host could change is not tested here. */
export function environment(folder: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    TMPDIR: folder,
  };
}

/** The bash `bash`, with the script in a file; `boundMs` is the longest that a script may take. */
export function plainlyBy(bash: string, boundMs?: number): Way {
  return (text, folder) =>
    within(
      "plain bash",
      new Promise((resolve, reject) => {
        writeFileSync(join(folder, "bash"), text);
        // A shell puts both streams into one pipe, as we do.
        const child = spawn("bash", ["-c", 'exec "$0" bash 2>&1 < /dev/null', bash], {
          cwd: folder,
          env: environment(folder),
          stdio: ["ignore", "pipe", "ignore"],
          detached: true,
        });
        const pieces: Buffer[] = [];
        child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
        child.on("error", reject);
        child.on("exit", (code) => {
          const answer = () => resolve({ output: Buffer.concat(pieces).toString(), status: code ?? undefined });
          // What it left in the background is not part of the answer, and may not stay.
          const endRest = () => child.pid !== undefined && killGroup(child.pid);
          // The pipe is mostly closed before the end of the process is known.
          if (child.stdout.closed) {
            endRest();
            answer();
            return;
          }
          child.stdout.on("close", answer);
          setTimeout(() => {
            endRest();
            setTimeout(answer, LEFT_BEHIND_MS);
          }, 10);
        });
      }),
      boundMs,
    );
}

/** The same, with the bash of the machine. */
export const plainly: Way = plainlyBy("bash");

/** A session of its own; `boundMs` is the longest that a script may take. */
export function inSessionWithin(boundMs?: number): Way {
  return (text, folder) => runInSession(text, folder, boundMs);
}

/** The same, with the usual bound. */
export const inSession: Way = inSessionWithin();

async function runInSession(text: string, folder: string, boundMs: number | undefined): Promise<Answer> {
  writeFileSync(join(folder, "bash"), text);
  const shell = new Shell({ cwd: folder, baseEnv: environment(folder) });
  try {
    return answerOf(
      await within("session", shell.run({ command: text, sink: { maxBytes: MAX_BYTES, plainText: false } }), boundMs),
    );
  } finally {
    await shell.close();
  }
}

/** A fresh bash. */
export const asOneShot: Way = async (text, folder) => {
  writeFileSync(join(folder, "bash"), text);
  const options = { cwd: folder, baseEnv: environment(folder), sink: { maxBytes: MAX_BYTES, plainText: false } };
  return answerOf(await within("one-shot", executeShell({ ...options, command: text })));
};

/** Runs a script in a new folder below `scratch`, and removes it. */
export async function ask(way: Way, text: string, scratch: string): Promise<Answer> {
  // One name for all, because some scripts print it.
  const folder = join(scratch, "d");
  mkdirSync(folder);
  try {
    return normal(await way(text, folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function answerOf(result: ShellRunResult): Answer {
  return { output: result.output?.text ?? "", status: result.exitCode };
}

/** The answer without what differs by nature: process ids, and what stands before `line N:` in bash's own messages. */
function normal({ output, status }: Answer): Answer {
  const text = output
    .replaceAll(/^bash(?:: eval)?: line (\d+): /gm, "bash: line $1: ")
    .replaceAll(/ +\d{1,7}(?= (?:Terminated|Killed|Done|Running))/g, " PID");
  return { output: text, status };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}
