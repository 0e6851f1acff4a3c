/**
 * Runs lines inside the fixture, each in a bash of its own.
 *
 * It is bundled to plain JavaScript and is the first program of a bubblewrap sandbox. What a line did is `serve.ts`'s.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { BASE, end, LINE_MS, type Ran, type Run, readOrNothing, STATE, serve, WRITE_STATE } from "./serve.ts";
import type { Traps } from "./traps.ts";

/** Longest wait for what a line left in the background, in milliseconds. */
const LEFT_MS = 200;

/** Runs the line as a session does, then writes the session's state down. */
const DRIVER = `
ulimit -f 4096 -c 0
HOLD_line=$1; set -- "$ONE" "$TWO"; unset ONE TWO
eval "$HOLD_line"
unset HOLD_line
${WRITE_STATE}
`;

function run({ line, cwd, env, hasInput }: Run): Promise<Ran> {
  const files = [
    openSync(hasInput ? STATE.input : "/dev/null", "r"),
    openSync(STATE.output, "w"),
    openSync(STATE.errors, "w"),
  ];
  const child = spawn("bash", ["--noprofile", "--norc", "-c", DRIVER, "bash", line], {
    cwd,
    env: { ...BASE, ONE: "-o", TWO: "pwned", ...env },
    stdio: files,
    detached: true,
  });
  for (const file of files) closeSync(file);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      end(-(child.pid ?? 0));
    }, LINE_MS);
    child.on("error", () => resolve({ status: null, timedOut: false }));
    child.on("exit", (status) => {
      clearTimeout(timer);
      if (timedOut) end(-(child.pid ?? 0));
      resolve({ status, timedOut });
    });
  });
}

/** Ends what the line left behind; that is an effect unless the line says that it leaves something. */
async function left(line: string, traps: Traps): Promise<string[]> {
  const deadline = Date.now() + LEFT_MS;
  let strangers = traps.strangers();
  while (strangers.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    strangers = traps.strangers();
  }
  const names = strangers.map((pid) => readOrNothing(`/proc/${pid}/comm`).trim());
  for (const pid of strangers) end(pid);
  return strangers.length === 0 || /&|setsid|<\(|>\(|\|/.test(line) ? [] : [`left running: ${names.join(" ")}`];
}

await serve({ run, left });
