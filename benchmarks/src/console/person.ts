/** A person at `pi-bash console` who measures: the program on a terminal, its frames, and what it costs. Linux only. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PtySession } from "@pi-bash/natives";

const PROGRAM = fileURLToPath(new URL("../../../packages/cli/bin/pi-bash.mjs", import.meta.url));
/** What the console writes at the end of each drawing. */
const FRAME_END = "\x1b[?2026l";
/** The console's hint line when nothing runs, and while something does. */
const AT_PROMPT = "leaves · /";
const RUNNING = "esc ends what runs";
/** Something that does not come by then does not come. */
const PATIENCE_MS = 120_000;
const LIFETIME_MS = 1_800_000;
const NANOSECONDS_PER_MS = 1e6;

/** One drawing of the console. */
export interface Frame {
  /** When it was complete, in milliseconds of `performance.now()`. */
  readonly at: number;
  readonly text: string;
}

export class Person {
  /** Drawings since `forget`. */
  readonly frames: Frame[] = [];
  readonly #pty = new PtySession();
  readonly #stop = new AbortController();
  readonly #run: Promise<unknown>;
  readonly #watchers = new Set<(frame: Frame) => void>();
  #rest = "";
  #pid = 0;

  constructor(folder: string) {
    this.#run = this.#pty.start(
      {
        command: `exec "$NODE" "$PROGRAM" console`,
        cwd: folder,
        baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder, NODE: process.execPath, PROGRAM, NO_COLOR: "1" },
        timeoutMs: LIFETIME_MS,
        signal: this.#stop.signal,
        cols: 100,
        rows: 40,
      },
      (_error, text) => this.#take(text),
      (_error, pid) => {
        this.#pid = pid;
      },
    );
  }

  /**
   * Types keys and resolves with the first drawing from then on in which `wanted` is. Several texts: in drawings one after
   * the other, and it is the last one's; they may come at once.
   */
  async sees(wanted: string | readonly string[], keys = ""): Promise<Frame> {
    const left = typeof wanted === "string" ? [wanted] : [...wanted];
    const seen = new Promise<Frame>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not seen in time: ${left[0]}`)), PATIENCE_MS);
      const watch = (frame: Frame) => {
        if (!frame.text.includes(left[0] ?? "")) return;
        left.shift();
        if (left.length > 0) return;
        clearTimeout(timer);
        this.#watchers.delete(watch);
        resolve(frame);
      };
      this.#watchers.add(watch);
    });
    if (keys !== "") this.#pty.write(keys);
    return seen;
  }

  /** Runs a line and resolves with the drawing of the prompt after it. */
  async does(line: string): Promise<Frame> {
    return this.sees([RUNNING, AT_PROMPT], `${line}\r`);
  }

  /** Waits for the first prompt. */
  async begin(): Promise<void> {
    await this.sees(AT_PROMPT);
  }

  forget(): void {
    this.frames.length = 0;
  }

  /** Processor time that the console's own process has had, all threads, in milliseconds. */
  cpuMs(): number {
    const threads = readdirSync(`/proc/${this.#pid}/task`);
    const times = threads.map((thread) => readFileSync(`/proc/${this.#pid}/task/${thread}/schedstat`, "latin1"));
    return times.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / NANOSECONDS_PER_MS;
  }

  /** The most memory that the console's process has had, in MiB. */
  peakMib(): number {
    const kib = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.#pid}/status`, "latin1"))?.[1];
    return Number(kib) / 1024;
  }

  async leave(): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }

  #take(text: string): void {
    const parts = (this.#rest + text).split(FRAME_END);
    this.#rest = parts.pop() ?? "";
    const at = performance.now();
    for (const part of parts) {
      const frame = { at, text: part };
      this.frames.push(frame);
      for (const watch of this.#watchers) watch(frame);
    }
  }
}
