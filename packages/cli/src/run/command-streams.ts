/**
 * What `run` gives a command beside its output: our standard input, and a standard error of its own.
 *
 * The engine starts a command with no input and one pipe for what it writes, which is what agents need. Here each command
 * gets a line before it that has bash open two FIFOs in a private folder. The input is pumped into one of them and passed
 * on as it is read, so nothing piles up; what comes out of the other goes to our standard error. A command that reads
 * nothing holds nothing up: the pump waits at the full FIFO and is ended with the run. On a place the FIFOs are over there,
 * and the connection carries what goes through them.
 */
import { execFile } from "node:child_process";
import { closeSync, constants, fstatSync, openSync, rmSync, statSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { makeTemporaryFolder } from "@pi-bash/executor/internal";
import type { RemoteInput, RemotePipes } from "@pi-bash/places";
import { ErrorStream } from "./error-stream.ts";

/** Which of the two are wanted. */
export interface WantedStreams {
  /** Our standard input has something to pass on. */
  readonly input: boolean;
  /** Where standard error goes that is kept apart. */
  readonly errors?: (bytes: Buffer) => unknown;
}

/** The streams of a run's commands, one after another. */
export interface CommandStreams {
  /** Commands get FIFOs of ours, which they open by a path. */
  readonly isOwn: boolean;
  /**
   * The text to run in place of `command`.
   *
   * @param status what the command before ended with, which is its `$?`; 0 for the first
   */
  around(command: string, status: number): string;
  /** Resolves when everything that was written to standard error so far has been passed on. */
  flush(): Promise<void>;
  /** Ends the pump and removes the FIFOs. What still runs finds the end of its input, and a pipe that no one reads. */
  close(): void;
}

/** A FIFO that cannot be made within this time, in milliseconds, never will be. */
const MKFIFO_LIMIT_MS = 10_000;

const NO_STREAMS: CommandStreams = { isOwn: false, around: (command) => command, flush: async () => {}, close() {} };

/**
 * Whether our standard input is more than none: a pipe, a file, a socket. A terminal is none, since the person's keys are
 * for Ctrl-C; nor is `/dev/null`, which the command has anyway.
 */
export function hasInput(): boolean {
  if (process.platform === "win32" || isatty(0)) return false;
  try {
    const input = fstatSync(0);
    return !input.isCharacterDevice() || input.rdev !== statSync("/dev/null").rdev;
  } catch {
    return false; // It is closed.
  }
}

/** Whether our standard error and output are different files, so that there is a point in keeping them apart. */
export function hasOwnErrors(): boolean {
  if (process.platform === "win32") return false;
  try {
    const [output, errors] = [fstatSync(1), fstatSync(2)];
    return output.dev !== errors.dev || output.ino !== errors.ino;
  } catch {
    return false;
  }
}

/**
 * Opens what is wanted for commands on a place: pipes over there in place of the FIFOs.
 *
 * @throws `PlaceError` or `ShellError` where they cannot be made
 */
export async function openFarStreams({ input, errors }: WantedStreams, pipes: RemotePipes): Promise<CommandStreams> {
  if (!input && errors === undefined) return NO_STREAMS;
  const read = input ? await pipes.openInput() : undefined;
  const written = errors === undefined ? undefined : await pipes.openOutput(errors);
  if (read !== undefined) void pumpFar(read.input);
  return {
    isOwn: true,
    around: aroundWith(read?.path, written?.path),
    flush: async () => written?.output.flush(),
    close() {
      if (read !== undefined) process.stdin.destroy();
      read?.input.close();
      written?.output.close();
    },
  };
}

/** Passes our standard input on to a place, as fast as commands over there read it. */
async function pumpFar(input: RemoteInput): Promise<void> {
  try {
    for await (const bytes of process.stdin as AsyncIterable<Buffer>) {
      if (!(await input.write(bytes))) return;
    }
  } catch (error) {
    // The run is over, and its input was released.
    if (input.isOver) return;
    process.stderr.write(
      `pi-bash: standard input broke off: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
  input.end();
}

/**
 * Opens what is wanted.
 *
 * @throws an error with a `code` where the FIFOs cannot be made
 */
export async function openStreams({ input, errors }: WantedStreams): Promise<CommandStreams> {
  if (!input && errors === undefined) return NO_STREAMS;
  const folder = await makeFolder();
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on("exit", remove); // The second Ctrl-C leaves at once.
  const paths = { input: join(folder, "in"), errors: join(folder, "err") };
  await promisify(execFile)("mkfifo", ["-m", "600", paths.input, paths.errors], { timeout: MKFIFO_LIMIT_MS });
  const pump = input ? new InputPump(paths.input) : undefined;
  const stream = errors === undefined ? undefined : new ErrorStream(paths.errors, errors);
  return {
    isOwn: true,
    around: aroundWith(pump && paths.input, stream && paths.errors),
    flush: async () => stream?.flush(),
    close() {
      pump?.end();
      stream?.end();
      remove();
      process.off("exit", remove);
    },
  };
}

/** Has a command read and write the FIFOs of these paths. */
function aroundWith(input: string | undefined, errors: string | undefined): CommandStreams["around"] {
  const redirections = [
    // Opened for writing first, which never waits: the input may have ended, and have no writer.
    ...(input === undefined ? [] : [`<>${quoted(input)} <${quoted(input)}`]),
    ...(errors === undefined ? [] : [`2>${quoted(errors)}`]),
  ].join(" ");
  return (command, status) => `\\exec ${redirections} && ${lineBefore(status)}\n${command}`;
}

/**
 * A private folder, in memory where there is such a place: a full or read-only disk stops no command. The next process that
 * makes one there removes what a killed one left.
 */
async function makeFolder(): Promise<string> {
  const places = [process.env["XDG_RUNTIME_DIR"], "/dev/shm", tmpdir()].filter((place) => place !== undefined);
  let problem: unknown;
  for (const place of places) {
    try {
      return await makeTemporaryFolder("run", place);
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

/**
 * Leaves `$?` as it was, and has the command's lines counted from 1: the expansion puts bash's counter back. On the left of
 * `&&` nothing runs an ERR trap.
 */
function lineBefore(status: number): string {
  const kept = status === 0 ? "\\:" : `(\\exit ${status}) && \\:`;
  return `{ ${kept};} <&"$((LINENO=0))"`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

/** Passes our standard input on into a FIFO, as fast as commands read it. */
class InputPump {
  readonly #reader: number;
  readonly #writer: Socket;

  constructor(path: string) {
    // Never read, but open: so there is a reader between two commands, and what is in the FIFO waits for the next.
    this.#reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#writer = new Socket({ fd: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), readable: false });
    this.#writer.on("error", () => undefined);
    process.stdin.on("error", ({ message }) => {
      process.stderr.write(`pi-bash: standard input broke off: ${message}\n`);
      this.#writer.end();
    });
    process.stdin.pipe(this.#writer);
  }

  end(): void {
    process.stdin.destroy();
    this.#writer.destroy();
    closeSync(this.#reader);
  }
}
