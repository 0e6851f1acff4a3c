/**
 * A process to be attacked, and what the kernel shows of one: the signals that it was sent, its priority, processors and
 * limits.
 *
 * The victim blocks every signal, and blocked signals stay pending (`signal(7)`), also those that are ignored by default.
 * Bash's traps lose some under load.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/** Seconds between its looks at whether the process that started it is there still; else it ends by itself. */
const LOOK_S = 5;

/** Starts one with this environment, and with the file `opened` open as descriptor 3 where it is given. */
export async function startVictim(env: Readonly<Record<string, string>>, opened?: number): Promise<ChildProcess> {
  const stdio = ["ignore", "ignore", "ignore", ...(opened === undefined ? [] : [opened])] as const;
  // A program without children: the end of one would be a signal of its own.
  const words = ["--block-signal", "tail", "-s", String(LOOK_S), `--pid=${process.pid}`, "-f", "/dev/null"];
  const victim = spawn("env", words, { env, stdio: [...stdio], detached: true });
  let hasEnded = false;
  for (const event of ["exit", "error"]) victim.once(event, () => (hasEnded = true));
  // Its mask is set before it is `tail`.
  while (read(`/proc/${victim.pid}/comm`) !== "tail\n") {
    if (hasEnded) throw new Error("the victim did not start");
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return victim;
}

/** Names of the signals that a process was sent and has not taken. */
export function pendingSignals(pid: number): string[] {
  const status = read(`/proc/${pid}/status`);
  const masks = ["SigPnd", "ShdPnd"].map(
    (name) => new RegExp(`^${name}:\\t([0-9a-f]+)$`, "m").exec(status)?.[1] ?? "0",
  );
  const pending = masks.reduce((all, mask) => all | BigInt(`0x${mask}`), 0n);
  const numbers = Array.from({ length: 64 }, (_, index) => index + 1);
  return numbers.filter((number) => (pending >> BigInt(number - 1)) & 1n).map(signalName);
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0].replace(/^SIG/, "") ?? String(number);
}

/** State, priority, policy, processors and limits of a process. */
export function processState(pid: number): string {
  const fields = read(`/proc/${pid}/stat`).split(" ");
  const kind = fields[2] === "T" ? "stopped" : fields.length > 1 && fields[2] !== "Z" ? "alive" : "gone";
  const cpus = /^Cpus_allowed:.*$/m.exec(read(`/proc/${pid}/status`))?.[0] ?? "";
  const limits = createHash("sha256")
    .update(read(`/proc/${pid}/limits`))
    .digest("hex")
    .slice(0, 8);
  return [
    kind,
    fields[17],
    fields[18],
    fields[39],
    fields[40],
    cpus,
    read(`/proc/${pid}/oom_score_adj`).trim(),
    limits,
  ].join(" ");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
