/** A person at a real terminal that runs `pi-bash`, for tests of what a person sees and types. */
import { PtySession } from "@pi-bash/natives";
import { VirtualTerminal } from "@pi-bash/terminal";
import { onTestFinished } from "vitest";
import { type Keeping, LIMIT_MS, PROGRAM } from "../../support/kept.ts";
import { until, within } from "../../support/patience.ts";

/** A person at a terminal that runs `pi-bash` with these words. */
export function atTerminal(kept: Keeping, words: string) {
  const pty = new PtySession();
  const terminal = new VirtualTerminal({ cols: 100, rows: 30, onReply: (reply) => void pty.write(reply) });
  const stop = new AbortController();
  let raw = "";
  const run = pty.start(
    {
      command: `exec "$NODE" "$PROGRAM" ${words}`,
      cwd: kept.folder,
      baseEnv: { ...kept.env, NODE: process.execPath, PROGRAM, TERM: "xterm-256color" },
      timeoutMs: LIMIT_MS,
      signal: stop.signal,
      cols: 100,
      rows: 30,
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
  return {
    raw: () => raw,
    text: () => terminal.text(),
    sees: (wanted: string) => until(`${wanted} on the screen`, () => terminal.text().includes(wanted), LIMIT_MS),
    screen: () => terminal.screen(),
    resize: (cols: number, rows: number) => {
      terminal.resize(cols, rows);
      pty.resize(cols, rows);
    },
    kill: () => pty.kill("SIGHUP"),
    isWhole: () => terminal.isAlternateScreen,
    type: (keys: string) => void pty.write(keys),
    end: async () => (await within("the end", run, LIMIT_MS)).exitCode,
  };
}
