/**
 * A huge output through the tool: the host's memory stays where it was, the artifact has every byte, and the answer is as
 * long as any other.
 */

import { readFileSync } from "node:fs";
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { createExecutor } from "@pi-bash/executor";
import { createBashTool } from "@pi-bash/tool";
import { expect, onTestFinished } from "vitest";
import { digestOf, digestOfRepeated } from "../support/digest.ts";
import { scratchFolder } from "../support/scratch.ts";

const MEBIBYTE = 1024 ** 2;
/** What a line of the output is; `yes` writes it as fast as it can. */
const LINE = "0123456789abcdef\n";
/** Most memory above what an idle host has. */
const MEMORY_BYTES = 64 * MEBIBYTE;

/** What it cost. */
export interface LargeOutputCost {
  seconds: number;
  /** Most resident memory above idle, in MiB. */
  mebibytes: number;
  updates: number;
  /** Longest time between two turns of the event loop, in milliseconds. */
  stallMs: number;
}

/** Sends `bytes` through the tool and checks what comes of them. */
export async function soakLargeOutput(bytes: number): Promise<LargeOutputCost> {
  const folder = scratchFolder();
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder };
  const executor = createExecutor({}, { hostEnv, cwd: folder, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  const bash = createBashTool({ cwd: folder, executor, hostEnv });
  await bash.execute("warm", { command: "seq 1 20000" });
  globalThis.gc?.();
  const watch = watchHost();
  let updates = 0;
  const startedAt = performance.now();

  // Not `yes | head`: a stream behind a trailing `head` is kept in a file of its own.
  const command = `head -c ${bytes} < <(yes ${LINE.trim()}); exit 7`;
  const answer = await bash.execute("large", { command, timeout: 3_600 }, undefined, () => {
    updates += 1;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const cost = watch.end();

  const text = answer.content.map((part) => part.text).join("");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES);
  expect(text).toMatch(/\[Showing lines \d+-\d+ of \d+ \(50\.0KB limit\)\. Full: artifact:\/\/[a-z0-9]{8}\]\n/);
  expect(text).toMatch(/\nCommand exited with code 7$/);
  const { truncation } = answer.details?.meta ?? {};
  expect(truncation).toMatchObject({ totalBytes: bytes, direction: "tail" });
  const entry = await executor.artifacts.get(truncation?.artifactId ?? "none");
  expect(await digestOf(entry?.path ?? "none")).toBe(digestOfRepeated(LINE, bytes));
  expect(cost.peakBytes).toBeLessThan(MEMORY_BYTES);
  return { seconds, mebibytes: cost.peakBytes / MEBIBYTE, updates, stallMs: cost.stallMs };
}

/** Watches memory and the event loop until it is ended. */
function watchHost(): { end(): { peakBytes: number; stallMs: number } } {
  const idle = residentBytes();
  let peak = idle;
  let stallMs = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    stallMs = Math.max(stallMs, now - last - LOOK_MS);
    last = now;
    peak = Math.max(peak, residentBytes());
  }, LOOK_MS);
  return {
    end: () => {
      clearInterval(timer);
      return { peakBytes: Math.max(0, peak - idle), stallMs };
    },
  };
}

/** Time between two looks at memory, in milliseconds. */
const LOOK_MS = 10;

function residentBytes(): number {
  if (process.platform !== "linux") return process.memoryUsage.rss();
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) * 1_024;
}
