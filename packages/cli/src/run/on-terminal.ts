/**
 * `run --pty`: a command on a pseudoterminal, with our terminal as its keys and screen.
 *
 * Keys go to it as they are, Ctrl-C too: it is the program's to obey. Its screen is ours, so it has the size of ours and
 * follows it, and nothing is filtered: what a program asks its terminal, ours answers. Where our input is no terminal, it
 * is typed, and its end is typed as Ctrl-D.
 */
import { execFileSync } from "node:child_process";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream, WriteStream } from "node:tty";
import { type PtySession, type PtyStartOptions, ShellError } from "@pi-bash/natives";

/** Size where no terminal has one; that of most. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };
/** Time between two looks whether a program has taken what was typed, in milliseconds. */
const TYPING_POLL_MS = 20;
/** Below so many bytes typing goes on. */
const LOW_WATER_BYTES = 16 * 1024;
/** A terminal that does not take its mode within this time, in milliseconds, keeps the one it has. */
const STTY_LIMIT_MS = 2_000;
const CTRL_D = "\x04";

/** A terminal of this machine, or of a place. */
export type Terminal = Pick<PtySession, "start" | "write" | "resize" | "pendingInputBytes">;

/** Runs the command on `pty`; `write` gets everything that it writes. Our terminal is as it was when the promise settles. */
export async function runOnTerminal(
  pty: Terminal,
  options: Omit<PtyStartOptions, "cols" | "rows">,
  write: (text: string) => void,
): ReturnType<PtySession["start"]> {
  const screen = [process.stdout, process.stderr].find(({ isTTY }) => isTTY);
  const term = process.env["TERM"];
  const run = pty.start(
    {
      ...options,
      ...sizeOf(screen),
      env: { ...(screen === undefined || term === undefined ? {} : { TERM: term }), ...options.env },
    },
    (error, chunk) => {
      if (error === null) write(chunk);
    },
  );
  const onResize = (): void => {
    const { cols, rows } = sizeOf(screen);
    whileRunning(() => pty.resize(cols, rows));
  };
  const release = passKeys(pty, process.stdin);
  screen?.on("resize", onResize);
  try {
    return await run;
  } finally {
    screen?.off("resize", onResize);
    release();
  }
}

/** Columns and rows of a terminal; without one, of the environment. */
function sizeOf(screen: WriteStream | undefined): { cols: number; rows: number } {
  const { COLUMNS, LINES } = process.env;
  return {
    cols: screen?.columns || Number.parseInt(COLUMNS ?? "", 10) || DEFAULT_SIZE.cols,
    rows: screen?.rows || Number.parseInt(LINES ?? "", 10) || DEFAULT_SIZE.rows,
  };
}

/** Types what comes from `input`, which has its keys raw. Returns what gives it back. */
function passKeys(pty: Terminal, input: ReadStream): () => void {
  const decoder = new StringDecoder("utf8");
  let timer: NodeJS.Timeout | undefined;
  let isLineBegun = false;
  const goOn = (): void => {
    if ((whileRunning(() => pty.pendingInputBytes) ?? 0) > LOW_WATER_BYTES) timer = setTimeout(goOn, TYPING_POLL_MS);
    else input.resume();
  };
  const onData = (bytes: Buffer): void => {
    const text = decoder.write(bytes);
    isLineBegun = text === "" ? isLineBegun : !/[\r\n]$/.test(text);
    if (whileRunning(() => pty.write(text)) !== false) return;
    input.pause();
    goOn();
  };
  // In the middle of a line the first one only ends the line.
  const onEnd = (): void => void whileRunning(() => pty.write(isLineBegun ? CTRL_D + CTRL_D : CTRL_D));
  const restore = (): void => {
    if (input.isTTY) input.setRawMode(false);
  };
  if (input.isTTY) makeRaw(input);
  process.on("exit", restore);
  input.on("data", onData).on("end", onEnd).on("error", onEnd);
  return () => {
    clearTimeout(timer);
    restore();
    process.off("exit", restore);
    input.off("data", onData).off("end", onEnd).destroy();
  };
}

/**
 * Keys as they are, and output as it is: Node's raw mode still has the terminal begin a new line at each line feed, which
 * for a program that draws means one down. The mode that it puts back is the one from before.
 */
function makeRaw(input: ReadStream): void {
  input.setRawMode(true);
  try {
    execFileSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"], timeout: STTY_LIMIT_MS });
  } catch {
    // Lines that are fed alone begin at the left then.
  }
}

/** What the terminal answers; undefined where its program has ended already. */
function whileRunning<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof ShellError && error.code === "PI_PTY_NOT_RUNNING") return undefined;
    throw error;
  }
}
