/** Facts of commands as tests make them up: results, jobs and calls, whole where a test names only what it is about. */
import { Settings, type SettingsInput } from "@pi-bash/contract";
import type { CommandResult, JobView } from "@pi-bash/executor";
import type { PreparedCall } from "../../src/prepared-call.ts";
import { clampTimeout } from "../../src/timeout.ts";

/** The result of a command that wrote `output` and ended with status 0, unless `more` says otherwise. */
export function resultOf(output: string, more: Partial<CommandResult> = {}): CommandResult {
  const bytes = Buffer.byteLength(output);
  const lines = output.split("\n").length - 1;
  const counts = { totalLines: lines, totalBytes: bytes, outputLines: lines, outputBytes: bytes };
  return { output, exitCode: 0, cancelled: false, truncated: false, ...counts, ...more };
}

/** A job that runs since second 1 of the epoch, unless `more` says otherwise. */
export function jobOf(more: Partial<JobView> = {}): JobView {
  return { id: "bg_1", type: "bash", state: "running", label: "make", startedAtMs: 1_000, ...more };
}

/** A call that may run `true` in the root folder. */
export function callOf(more: Partial<PreparedCall> = {}, settings: SettingsInput = {}): PreparedCall {
  return {
    original: "true",
    command: "true",
    env: {},
    cwd: "/",
    timeout: clampTimeout(60),
    hasOwnFolder: false,
    mayOverlap: false,
    reading: undefined,
    judge: () => Promise.reject(new Error("it was judged again")),
    isAsync: false,
    wantsPty: false,
    settings: Settings.parse(settings),
    applied: [],
    rewriteNotices: [],
    ...more,
  };
}
