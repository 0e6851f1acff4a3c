/**
 * Many commands in one session: each gets its own answer, and neither the host nor the session's bash grows.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Shell } from "@pi-bash/natives";
import { expect } from "vitest";
import { runIn } from "../support/session.ts";
import { newTag } from "../support/tag.ts";
import { backAt, settledCount } from "./process-count.ts";

/** What a command must answer. */
interface Answer {
  readonly text: string;
  readonly exitCode: number;
}

/** Commands with their answers; `n` is the number of the command. */
const KINDS: readonly ((n: number) => [command: string, answer: Answer])[] = [
  (n) => [`echo ${n}`, { text: `${n}\n`, exitCode: 0 }],
  (n) => [`N=${n}`, { text: "", exitCode: 0 }],
  (n) => [`echo $N`, { text: `${n - 1}\n`, exitCode: 0 }],
  (n) => [`(exit ${n % 200})`, { text: "", exitCode: n % 200 }],
  (n) => [`/bin/echo ${n}`, { text: `${n}\n`, exitCode: 0 }],
  (n) => [`seq ${n} ${n + 2} | tail -1`, { text: `${n + 2}\n`, exitCode: 0 }],
  () => ["sleep 0.01 & true", { text: "", exitCode: 0 }],
  (n) => [`f() { echo f${n}; }; f`, { text: `f${n}\n`, exitCode: 0 }],
  () => ["cat <<< here", { text: "here\n", exitCode: 0 }],
  (n) => [`printf '%s' "$(echo ${n})"`, { text: `${n}`, exitCode: 0 }],
  () => ["printf '%.0sx' {1..2000}", { text: "x".repeat(2_000), exitCode: 0 }],
  () => ["cd /usr && cd / && pwd", { text: "/\n", exitCode: 0 }],
  () => ["wait; jobs > /dev/null", { text: "", exitCode: 0 }],
];

/** Commands after which everything has its size: the first ones allocate. */
const WARM_UP = 5;

/** Growth that is none, in bytes. */
const HOST_GROWTH = 64 * 2 ** 20;
const SHELL_GROWTH = 32 * 2 ** 20;

/** Runs `count` commands in one session. */
export async function soakCommands(count: number): Promise<void> {
  const tag = newTag();
  // The runtime's own thread and descriptors are there before the count.
  await using early = new Shell();
  await runIn(early, "true");
  const first = await settledCount();
  const shell = new Shell({ sessionEnv: tag.env });
  try {
    const pid = Number((await runIn(shell, "echo $$")).text);
    await runAll(shell, 0, Math.ceil(count / WARM_UP));
    const before = { host: await settledCount(), shell: residentBytes(pid), descriptors: descriptorsOf(pid) };
    await runAll(shell, Math.ceil(count / WARM_UP), count);

    expect(Number((await runIn(shell, "wait; echo $$")).text)).toBe(pid);
    await backAt(before.host);
    expect(process.memoryUsage.rss() - before.host.residentBytes).toBeLessThan(HOST_GROWTH);
    expect(residentBytes(pid) - before.shell).toBeLessThan(SHELL_GROWTH);
    expect(descriptorsOf(pid)).toBe(before.descriptors);
  } finally {
    await shell.close();
  }
  await tag.gone();
  await backAt(first);
}

async function runAll(shell: Shell, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 1) {
    const kind = KINDS[n % KINDS.length];
    if (kind === undefined) throw new Error("no such kind");
    const [command, answer] = kind(n);
    const { text, exitCode, sessionReset } = await runIn(shell, command);
    expect({ n, command, text, exitCode, sessionReset }).toEqual({ n, command, ...answer, sessionReset: false });
  }
}

function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return Number(kib) * 1024;
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
