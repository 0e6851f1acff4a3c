/**
 * Runs one program of the build to its end and keeps what it printed.
 *
 * Output is kept instead of shown, because a good run needs one line and a bad one needs its output last, where it is
 * read. The program gets a process group of its own: past its time the whole group is ended, not just the leader.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Most output kept of one program, in UTF-16 units; the end is what tells what went wrong. */
const MAX_KEPT_CHARS = 8 * 1024 * 1024;
/** A sign of life on long steps, for those who watch and for machines that end what is silent. */
const HEARTBEAT_MS = 60_000;

function endGroup(child) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // No group of its own on this platform, or it has just ended.
  }
}

/**
 * Resolves when the program has ended, whatever became of it.
 *
 * @param {string} command program to run
 * @param {string[]} rest its arguments
 * @param {{ cwd?: string, env?: Record<string, string>, timeoutMs?: number }} [options] `timeoutMs` 30 minutes unless given
 * @returns {Promise<{ ok: boolean, output: string, stdout: string, seconds: number, problem: string }>} `output` has both
 *   streams in the order of arrival; `problem` says in words how it failed, or is empty
 */
export function runProgram(command, rest, options = {}) {
  const started = Date.now();
  const timeoutMs = options.timeoutMs ?? 30 * 60_000;
  const child = spawn(command, rest, {
    cwd: options.cwd ?? root,
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", CARGO_TERM_COLOR: "never", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  const kept = { output: "", stdout: "" };
  const keep = (stream, text) => {
    kept[stream] = (kept[stream] + text).slice(-MAX_KEPT_CHARS);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8");
  child.stdout.on("data", (text) => {
    keep("output", text);
    keep("stdout", text);
  });
  child.stderr.on("data", (text) => keep("output", text));

  let timedOut = false;
  const deadline = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, timeoutMs);
  const heartbeat = setInterval(() => {
    console.log(
      `  … ${command.split("/").at(-1)} ${rest[0] ?? ""}: ${Math.round((Date.now() - started) / 1000)} s so far`,
    );
  }, HEARTBEAT_MS);

  return new Promise((resolve) => {
    const finish = (problem) => {
      clearTimeout(deadline);
      clearInterval(heartbeat);
      resolve({ ok: problem === "", ...kept, seconds: (Date.now() - started) / 1000, problem });
    };
    child.on("error", (error) => finish(`cannot start \`${command}\`: ${error.message}`));
    child.on("exit", (code, signal) => {
      const problem = timedOut
        ? `took longer than ${timeoutMs / 1000} s and was ended`
        : code === 0
          ? ""
          : `ended with ${signal ?? `exit code ${code}`}`;
      // A survivor of a test may hold the pipe: what is in it by now is enough.
      const settle = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        finish(problem);
      }, 2_000);
      child.on("close", () => {
        clearTimeout(settle);
        finish(problem);
      });
    });
  });
}

/** The last `count` lines of a text. */
export function lastLines(text, count) {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
