/**
 * A person at a terminal: keys that are pressed when the screen shows what they wait for.
 *
 * Everything is waited for on the screen, nothing by time. A program is ended when its test is, should it still run.
 */
import { spawnSync } from "node:child_process";
import { type PtyRunResult, PtySession, type PtyStartOptions } from "@pi-bash/natives";
import { VirtualTerminal } from "@pi-bash/terminal";
import { onTestFinished } from "vitest";
import { until, within } from "../support/patience.ts";

/** Longest that a screen is waited for, in milliseconds. Starting an interpreter on a busy machine takes seconds. */
const SCREEN_MS = 30_000;

/** Keys by name. */
export const KEY = {
  enter: "\r",
  escape: "\u001b",
  interrupt: "\u0003",
  endOfFile: "\u0004",
  suspend: "\u001a",
  up: "\u001b[A",
} as const;

/** A terminal of this machine, or of a place. */
export type Terminal = Pick<PtySession, "start" | "write" | "resize" | "kill">;

/** A program and the screen it draws on. */
export interface Console {
  readonly session: Terminal;
  readonly terminal: VirtualTerminal;
  /** Everything the program wrote, as it wrote it. */
  raw(): string;
  /** Presses keys. */
  press(...keys: string[]): void;
  /** Waits until the screen, whose lines have no blanks at their ends, has `text` or matches it. */
  shows(text: string | RegExp): Promise<void>;
  /** Waits for the program's end and the end of drawing. */
  ended(): Promise<PtyRunResult>;
}

/** Starts a program on a terminal of 80 columns and 24 rows, in a plain environment. */
export function openConsole(options: PtyStartOptions, session: Terminal = new PtySession()): Console {
  const terminal = new VirtualTerminal({
    cols: options.cols ?? 80,
    rows: options.rows ?? 24,
    onReply: (reply) => {
      // A program may end without having read the answer.
      if (!hasEnded) session.write(reply);
    },
  });
  let raw = "";
  let hasEnded = false;
  const env = { LC_ALL: "C.UTF-8", HOME: "/nonexistent", ...options.env };
  const end = session
    .start({ cols: 80, rows: 24, ...options, env }, (_error, chunk) => {
      raw += chunk;
      return terminal.write(chunk);
    })
    .finally(() => {
      hasEnded = true;
    });
  end.catch(() => undefined);
  onTestFinished(async () => {
    if (!hasEnded) session.kill();
    await end.catch(() => undefined);
    terminal.dispose();
  });
  const has = (text: string | RegExp) => {
    const screen = terminal.screen().join("\n");
    return typeof text === "string" ? screen.includes(text) : text.test(screen);
  };
  return {
    session,
    terminal,
    raw: () => raw,
    press: (...keys) => void session.write(keys.join("")),
    shows: async (text) => {
      // A program that ended shows nothing more.
      await until(`${text} on the screen`, () => hasEnded || has(text), SCREEN_MS).catch(() => undefined);
      await (hasEnded ? terminal.settled() : undefined);
      if (!has(text)) throw new Error(`no ${text} on the screen:\n${terminal.screen().join("\n").trimEnd()}`);
    },
    ended: async () => {
      const result = await within("the program's end", end, SCREEN_MS);
      await terminal.settled();
      return result;
    },
  };
}

/** Whether a program is installed and starts, and says `feature` of itself. */
export function isInstalled(program: string, argument = "--version", feature = ""): boolean {
  const { status, stdout } = spawnSync(program, [argument], { encoding: "utf8", timeout: SCREEN_MS });
  return status === 0 && stdout.includes(feature);
}
