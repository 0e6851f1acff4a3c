/**
 * One terminal of a client: a command in a shell of its own, the end of what it wrote, and how it ended.
 *
 * There is no screen: output is the text as it was written, both streams in one. A terminal has no deadline; its agent
 * kills or releases it.
 */
import { randomUUID } from "node:crypto";
import { RequestError, type TerminalExitStatus, type TerminalOutputResponse } from "@agentclientprotocol/sdk";
import { tailBytes } from "@pi-bash/contract/internal/text";
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/wait";
import type { BashToolSession } from "@pi-bash/tool";

/** Most bytes that a terminal keeps, and what it keeps where the agent names no limit: 1 MiB. */
const MAX_TERMINAL_BYTES = 1024 ** 2;
/** How often it grows past its limit before it is cut, so that a flood is not cut at each chunk. */
const SLACK = 2;

/** What runs in it. */
export interface TerminalCommand {
  sessionId: string;
  command: string;
  cwd: string | undefined;
  env: Readonly<Record<string, string>>;
}

type Executor = Pick<BashToolSession["executor"], "executeBash" | "closeSession">;

/** How its command ended: with a status, or not started at all. */
type End = { kind: "exit"; status: TerminalExitStatus } | { kind: "failed"; error: RequestError };

/** A program with its arguments as a line for bash. Without arguments it is a line already, as agents send it. */
export function commandLine({ command, args = [] }: { command: string; args?: readonly string[] }): string {
  if (args.length === 0) return command;
  return [command, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
}

export class Terminal {
  readonly sessionId: string;
  readonly #executor: Executor;
  readonly #key = `terminal:${randomUUID()}`;
  readonly #stop = new AbortController();
  readonly #maxBytes: number;
  readonly #run: Promise<End>;
  #text = "";
  #isCut = false;
  #end: End | undefined;

  /** Starts it. */
  constructor(executor: Executor, command: TerminalCommand, outputByteLimit: number | undefined) {
    this.sessionId = command.sessionId;
    this.#executor = executor;
    this.#maxBytes = Math.min(outputByteLimit ?? MAX_TERMINAL_BYTES, MAX_TERMINAL_BYTES);
    this.#run = this.#start(command).then((end) => {
      this.#end = end;
      return end;
    });
  }

  /** What is kept of the output, and the status where it has ended. Throws where it could not be started. */
  output(): TerminalOutputResponse {
    this.#cut();
    const exitStatus = this.#end === undefined ? undefined : statusOf(this.#end);
    return { output: this.#text, truncated: this.#isCut, ...(exitStatus === undefined ? {} : { exitStatus }) };
  }

  /** Resolves when it has ended. Rejects where it could not be started. */
  async exited(): Promise<TerminalExitStatus> {
    return statusOf(await this.#run);
  }

  /** Ends the command with all it started; output and status can still be read. Fine at any time. */
  async kill(): Promise<void> {
    this.#stop.abort();
    await this.#run;
    await this.#executor.closeSession(this.#key);
  }

  /** The same, for one that no one will ask any more. */
  async close(): Promise<void> {
    await this.kill();
    this.#text = "";
  }

  async #start({ command, cwd, env }: TerminalCommand): Promise<End> {
    try {
      const result = await this.#executor.executeBash(command, {
        ...(cwd === undefined ? {} : { cwd }),
        env,
        timeoutMs: MAX_TIMER_MS,
        signal: this.#stop.signal,
        sessionKey: this.#key,
        isEphemeral: true,
        artifact: false,
        mayMinimize: false,
        onChunk: (chunk) => this.#keep(chunk),
      });
      // Whoever ended it did so by `kill`: politely first, and no one says how far that went.
      if (result.cancelled) return { kind: "exit", status: { exitCode: null, signal: "SIGTERM" } };
      return { kind: "exit", status: { exitCode: result.exitCode ?? null, signal: result.signal ?? null } };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { kind: "failed", error: RequestError.internalError(undefined, reason) };
    }
  }

  #keep(chunk: string): void {
    this.#text += chunk;
    if (this.#text.length > this.#maxBytes * SLACK) this.#cut();
  }

  #cut(): void {
    const kept = tailBytes(this.#text, this.#maxBytes);
    if (kept.length < this.#text.length) this.#isCut = true;
    this.#text = kept;
  }
}

function statusOf(end: End): TerminalExitStatus {
  if (end.kind === "failed") throw end.error;
  return end.status;
}
