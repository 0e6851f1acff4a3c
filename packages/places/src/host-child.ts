/**
 * The local program that carries a link (`ssh`, `podman exec`, `srun`, …): started without a shell, ended within bounds.
 *
 * It has one owner, which is this file. Its standard error is for people: the last lines are kept, because they say why a
 * connection failed.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { settlesWithin } from "@pi-bash/contract/internal/wait";

/** Time from the end of its input until SIGTERM, in milliseconds: the far ladder takes about 4 s. */
const CLOSE_MS = 6_000;
/** Time from SIGTERM until SIGKILL, in milliseconds. */
const TERMINATE_MS = 2_000;
/** The first of them where no link came to stand: nothing was started over there, in milliseconds. */
const GIVE_UP_MS = 500;
/** Bytes of its standard error that are kept. */
const KEPT_STDERR_BYTES = 4 * 1024;
/** Lines of it that an error shows. */
const SHOWN_LINES = 3;

/** How the program ended. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It could not be started. */
  readonly error?: Error;
}

/** What receives what the program writes. */
export interface ChildListener {
  /** Takes the next bytes of standard output. */
  onOutput(bytes: Buffer): void;
  /** Standard output ended. */
  onOutputEnd(): void;
  /** Takes a line of standard error, without its newline. */
  onErrorLine?(line: string): void;
}

/** One program and its three streams. */
export class HostChild {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ends when what was written has left; undefined while it is not waited for. */
  #draining: Promise<void> | undefined;
  /** Resolves when the program is gone; never rejects. */
  readonly exit: Promise<ChildExit>;
  #stderr = "";
  #line = "";
  #ending: Promise<void> | undefined;

  /** Starts the program. One that cannot be started ends at once, and `exit` says why. */
  constructor(argv: readonly string[], listener: ChildListener, env: NodeJS.ProcessEnv = process.env) {
    const [program = "", ...args] = argv;
    this.#child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env, windowsHide: true });
    const { stdin, stdout, stderr } = this.#child;
    this.exit = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve({ code: null, signal: null, error }));
      this.#child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    // A program that ended takes nothing more. Its end is reported by `exit`, and a write has no other reader.
    stdin.on("error", () => undefined);
    stdout.on("error", () => undefined);
    stderr.on("error", () => undefined);
    stdout.on("data", (bytes: Buffer) => listener.onOutput(bytes));
    stdout.once("close", () => listener.onOutputEnd());
    stderr.setEncoding("utf8");
    stderr.on("data", (text: string) => this.#takeErrors(text, listener));
  }

  /** Writes. False: much of it waits, and a writer of many bytes should await `drained`. */
  write(bytes: Uint8Array): boolean {
    return !this.#child.stdin.destroyed && this.#child.stdin.write(bytes);
  }

  /** Bytes that were written and have not left. */
  get waitingBytes(): number {
    return this.#child.stdin.writableLength;
  }

  /** Resolves when what was written has left, or when nothing leaves any more. */
  async drained(): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.writableNeedDrain || stdin.destroyed) return;
    // One wait for all who wait, whose listeners go with it: a stream of gigabytes waits thousands of times.
    this.#draining ??= this.#drain().finally(() => {
      this.#draining = undefined;
    });
    await this.#draining;
  }

  async #drain(): Promise<void> {
    const { stdin } = this.#child;
    const over = new AbortController();
    const { signal } = over;
    const waits = [once(stdin, "drain", { signal }), once(stdin, "close", { signal })];
    await Promise.race([...waits, this.exit]).catch(() => undefined);
    over.abort();
    await Promise.allSettled(waits);
  }

  /** The last lines of standard error, for an error's text. Empty: it said nothing. */
  lastWords(): string {
    const lines = (this.#stderr + this.#line)
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
    return lines.slice(-SHOWN_LINES).join("; ");
  }

  /** Whether the program keeps the host's event loop alive. */
  hold(isHeld: boolean): void {
    const parts = [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr];
    for (const part of parts as { ref?(): unknown; unref?(): unknown }[]) {
      if (isHeld) part.ref?.();
      else part.unref?.();
    }
  }

  /** Ends it: the end of its input, then SIGTERM, then SIGKILL. Resolves when it is gone. Fine any number of times. */
  end(): Promise<void> {
    this.#ending ??= this.#end(CLOSE_MS);
    return this.#ending;
  }

  /** The same where nothing was started over there yet, so that nothing has to be waited for. */
  giveUp(): Promise<void> {
    this.#ending ??= this.#end(GIVE_UP_MS);
    return this.#ending;
  }

  /** Ends it at once, without a chance to pass on the end of its input. */
  kill(): void {
    this.#child.kill("SIGKILL");
    this.#child.stdin.destroy();
  }

  async #end(closeMs: number): Promise<void> {
    this.hold(true);
    this.#child.stdin.end();
    for (const [signal, waitMs] of [
      ["SIGTERM", closeMs],
      ["SIGKILL", TERMINATE_MS],
    ] as const) {
      if (await settlesWithin(this.exit, waitMs)) break;
      this.#child.kill(signal);
    }
    await this.exit;
    // A process that it left behind can hold the pipes open.
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #takeErrors(text: string, listener: ChildListener): void {
    const lines = (this.#line + text).split("\n");
    this.#line = (lines.pop() ?? "").slice(-KEPT_STDERR_BYTES);
    for (const line of lines) listener.onErrorLine?.(line);
    if (lines.length > 0) this.#stderr = `${this.#stderr}${lines.join("\n")}\n`.slice(-KEPT_STDERR_BYTES);
  }
}
