/** A person at `pi-bash console`: the program on a pseudoterminal, the screen they see, and keys. For tests. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PtySession } from "@pi-bash/natives";
import { VirtualTerminal } from "@pi-bash/terminal";
import { expect, onTestFinished } from "vitest";

export const PROGRAM = fileURLToPath(new URL("../bin/pi-bash.mjs", import.meta.url));
/** A screen that does not come by then does not come. */
export const LIMIT_MS = 30_000;
export const KEY = {
  enter: "\r",
  esc: "\x1b",
  up: "\x1b[A",
  left: "\x1b[D",
  ctrlA: "\x01",
  ctrlC: "\x03",
  ctrlD: "\x04",
};

export interface Person {
  readonly folder: string;
  readonly terminal: VirtualTerminal;
  /** Of the console. */
  pid(): number;
  /** Everything that was written to the terminal. */
  raw(): string;
  type(keys: string): void;
  /** The scrollback and the screen, once `wanted` is in them. */
  sees(wanted: string | RegExp): Promise<string>;
  resize(cols: number, rows: number): void;
  /** Types a line and waits until what it started has ended. */
  does(line: string, wanted: string | RegExp): Promise<string>;
  /** Types a line, once there is a prompt, and waits for the question whether it may run. */
  asked(line: string): Promise<string>;
  /** The exit status, with everything that was written on the screen. */
  end(): Promise<number | undefined>;
}

export async function until(holds: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(what());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A person at the console in a new folder, at its prompt. */
export async function person(
  words = "",
  { cols = 80, rows = 24, env = {} }: { cols?: number; rows?: number; env?: Record<string, string> } = {},
): Promise<Person> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-bash-console-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pty = new PtySession();
  const terminal = new VirtualTerminal({ cols, rows, onReply: (reply) => void pty.write(reply) });
  const stop = new AbortController();
  let raw = "";
  const run = pty.start(
    {
      // The terminal's own modes, after the console has gone.
      command: `sh -c 'echo $$ >pid.txt; exec "$NODE" "$PROGRAM" console ${words}'; status=$?; stty -a >after.txt; exit $status`,
      cwd: folder,
      baseEnv: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        NODE: process.execPath,
        PROGRAM,
        NO_COLOR: "1",
        ...env,
      },
      timeoutMs: 55_000,
      signal: stop.signal,
      cols,
      rows,
    },
    (_error, chunk) => {
      raw += chunk;
      return terminal.write(chunk);
    },
  );
  onTestFinished(async () => {
    stop.abort();
    await run;
    terminal.dispose();
  });
  const sees = async (wanted: string | RegExp): Promise<string> => {
    const holds = () => (typeof wanted === "string" ? terminal.text().includes(wanted) : wanted.test(terminal.text()));
    await until(holds, () => `not seen: ${String(wanted)}\n${terminal.text()}`);
    return terminal.text();
  };
  const self: Person = {
    folder,
    terminal,
    pid: () => Number(readFileSync(join(folder, "pid.txt"), "utf8")),
    raw: () => raw,
    type: (keys) => void pty.write(keys),
    sees,
    resize(width, height) {
      terminal.resize(width, height);
      pty.resize(width, height);
    },
    async does(line, wanted) {
      self.type(`${line}${KEY.enter}`);
      await sees(wanted);
      await until(
        () => /leaves · \//.test(terminal.screen().join("\n")),
        () => `not at the prompt\n${terminal.text()}`,
      );
      return terminal.text();
    },
    async asked(line) {
      await until(
        () => /leaves · \//.test(terminal.screen().join("\n")),
        () => `not at the prompt\n${terminal.text()}`,
      );
      self.type(`${line}${KEY.enter}`);
      await until(
        () => terminal.screen().join("\n").includes("Run it?   y: yes   n: no"),
        () => `not asked\n${terminal.text()}`,
      );
      return terminal.text();
    },
    async end() {
      const { exitCode } = await run;
      await terminal.settled();
      return exitCode;
    },
  };
  await sees("ctrl+d leaves");
  return self;
}

/** The terminal is as it was: its modes, its main screen, a cursor that is seen. */
export function expectRestored({ folder, terminal, raw }: Person): void {
  const modes = readFileSync(join(folder, "after.txt"), "utf8");
  expect(modes).toMatch(/(?<!-)\bicanon\b/);
  expect(modes).toMatch(/(?<!-)\becho\b/);
  expect(terminal.isAlternateScreen).toBe(false);
  const last = (on: string, off: string) => raw().lastIndexOf(on) < raw().lastIndexOf(off);
  expect(last("\x1b[?25l", "\x1b[?25h"), "the cursor").toBe(true);
  expect(last("\x1b[?2004h", "\x1b[?2004l"), "bracketed paste").toBe(true);
  expect(terminal.text()).not.toContain("ctrl+d leaves");
}
