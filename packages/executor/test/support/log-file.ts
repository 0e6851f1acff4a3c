/**
 * A job whose output is a file that the test writes, without a process; a reader of it; and a mask that hides one word.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import type { ReadableFile } from "../../src/artifacts/readable-file.ts";
import type { JobEnd, JobView } from "../../src/jobs/job.ts";
import { JobEntry } from "../../src/jobs/job-entry.ts";
import { LogCursor } from "../../src/jobs/job-log.ts";
import { type ReadOptions, readNewLines } from "../../src/jobs/log-reader.ts";
import type { OutputMask } from "../../src/natives-port.ts";

/** A running job `bg_1` of the owner "me", and the ways to write its output. */
export function writtenJob(view: Partial<JobView> = {}) {
  const started: JobView = { id: "bg_1", type: "bash", state: "running", label: "make", startedAtMs: 0, owner: "me" };
  const entry = new JobEntry({ ...started, ...view }, "run", "make");
  const path = join(scratchFolder(), "output");
  writeFileSync(path, "");
  entry.log.path = path;
  let all = "";
  const totals = () => ({
    bytes: Buffer.byteLength(all),
    lines: all.split("\n").length - (all.endsWith("\n") || all === "" ? 1 : 0),
  });
  /** Writes to the file without a word to the job: what a background child does after the end. */
  const append = (text: string): void => {
    appendFileSync(path, text);
    all += text;
  };
  const write = (text: string): void => {
    append(text);
    entry.log.grow(totals());
  };
  const end = (more: Partial<JobEnd> = {}): void => {
    const result: JobEnd = { text: all, exitCode: 0, totals: totals(), ...more };
    entry.settle({ ...entry.view, state: "completed", endedAtMs: 9_000, exitCode: 0 }, result.text, result);
  };
  return { entry, log: entry.log, path, append, write, end, totals };
}

/** Hides `secret`, of the same length, also where it began in what was passed over; and notes what that was. */
export function wordMask(secret = "secret"): { mask: OutputMask; skipped: string[] } {
  const skipped: string[] = [];
  const hide = (text: string): string => text.replaceAll(secret, "*".repeat(secret.length));
  const mask: OutputMask = {
    text: (text) => ({ text: hide(text), count: 0, names: [] }),
    stream: () => {
      let before = "";
      return {
        skip: (bytes) => {
          before = Buffer.from(bytes).toString();
          skipped.push(before);
        },
        push: (bytes) => {
          const text = before + Buffer.from(bytes).toString();
          const shown = hide(text).slice(before.length);
          before = text;
          return Buffer.from(shown);
        },
        finish: () => Buffer.alloc(0),
      };
    },
  };
  return { mask, skipped };
}

/** A job's file and one reader of it; `next` reads, and counts what it read as given out. */
export function readerScene() {
  const job = writtenJob();
  const cursor = new LogCursor();
  const read = (more: Partial<ReadOptions> = {}) =>
    readNewLines(job.log, cursor, { maxBytes: 1_000, filter: undefined, isLate: () => false, ...more });
  const next = async (more: Partial<ReadOptions> = {}) => {
    const reading = await read(more);
    Object.assign(cursor, { offset: reading.offset, line: reading.line, barren: 0 });
    return reading;
  };
  /** Counts how often the file is opened and closed. */
  const counts = { opened: 0, closed: 0 };
  const counted = (text: string, size = text.length): void => {
    const bytes = Buffer.from(text);
    job.log.open = async () => {
      counts.opened += 1;
      const file: ReadableFile = {
        read: async (buffer, offset, length, position) => ({
          bytesRead: bytes.copy(buffer, offset, position, Math.min(bytes.length, position + length)),
        }),
        close: async () => {
          counts.closed += 1;
        },
      };
      return { file, size };
    };
  };
  return { ...job, cursor, read, next, counts, counted };
}
