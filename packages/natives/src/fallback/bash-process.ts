/**
 * One bash of its own for one command, by `child_process`: started, stopped as a group, listed where it left children.
 *
 * Without a supervisor no one ends what called `setsid`, and nothing ends what runs when the host is killed: that is what
 * the addon is for. Signals go to the group whose leader we started.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProcessInfo } from "@pi-bash/contract";

/** Linux takes no argument and no variable longer than this (`MAX_ARG_STRLEN`, 128 KiB with its NUL); execve(2). */
export const MAX_ARGUMENT_BYTES = 131_071;

/** Makes stdout and stderr one pipe, in true order, and becomes the bash that runs the command. */
const MERGE = 'exec "$0" "${@}" 2>&1';

/** What is to be started. */
export interface StartRequest {
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly snapshotPath?: string;
}

/** A started bash, leader of a process group. */
export interface StartedBash {
  readonly child: ChildProcess;
  readonly startedAtMs: number;
  /** Removes what had to be written for the start. */
  readonly cleanUp: () => void;
}

/** Starts bash for one command. Its stdin is the null device. Throws `E2BIG` where the variables are too many. */
export function startBash({ shell, command, cwd, env, snapshotPath }: StartRequest): StartedBash {
  const script = snapshotPath === undefined ? command : `. '${snapshotPath.replaceAll("'", "'\\''")}'\n${command}`;
  const { words, cleanUp } = scriptArguments(script);
  try {
    const child = spawn(shell, ["-c", MERGE, shell, ...words], {
      cwd,
      env: { ...env },
      stdio: ["ignore", "pipe", "ignore"],
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    return { child, startedAtMs: Date.now(), cleanUp };
  } catch (error) {
    cleanUp(); // Most failures are events of the child; what is too large for the system is thrown.
    throw error;
  }
}

function scriptArguments(script: string): { words: string[]; cleanUp: () => void } {
  if (Buffer.byteLength(script) <= MAX_ARGUMENT_BYTES) return { words: ["-c", script], cleanUp: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "pi-bash-"));
  const file = join(folder, "command");
  writeFileSync(file, script, { mode: 0o600, flag: "wx" });
  return { words: [file], cleanUp: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Sends a signal to the group of a bash. Returns whether there was anyone to take it. */
export function signalGroup({ child }: StartedBash, signal: NodeJS.Signals): boolean {
  if (child.pid === undefined) return false;
  try {
    if (process.platform === "win32") return child.kill(signal);
    return process.kill(-child.pid, signal);
  } catch {
    return false; // No one is left, or no one whom we may signal.
  }
}

/** Who is left of a group whose leader has ended. Only Linux tells; elsewhere the list is empty. */
export function groupMembers({ child, startedAtMs }: StartedBash): ProcessInfo[] {
  if (process.platform !== "linux" || child.pid === undefined) return [];
  const members: ProcessInfo[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      // After the name in parentheses, which may hold anything: state, parent, group (proc_pid_stat(5)).
      const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (Number(group) !== child.pid || state === "Z") continue;
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      members.push({ pid: Number(name), command, startedAtMs });
    } catch {
      // It ended while it was looked at.
    }
  }
  return members;
}
