/** A client as a process: started, listened to, asked to end. Its command line is its driver's. */
import { spawn } from "node:child_process";

/** Most that is kept of what a client writes, in characters. */
const MAX_KEPT_CHARS = 1024 * 1024;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string>, input?: "pipe" | "ignore" }} options `input` is `ignore` unless given
 * @returns {import("./rounds.mjs").Started & { child: import("node:child_process").ChildProcess, lines: (take: (line: string) => void) => void }}
 */
export function startChild(command, args, { cwd, env, input = "ignore" }) {
  const child = spawn(command, args, { cwd, env, stdio: [input, "pipe", "pipe"], detached: true });
  let words = "";
  const listeners = [];
  let unfinished = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8");
    stream.on("data", (text) => {
      words = (words + text).slice(-MAX_KEPT_CHARS);
    });
  }
  child.stdout.on("data", (text) => {
    const lines = (unfinished + text).split("\n");
    unfinished = lines.pop();
    for (const line of lines) for (const take of listeners) take(line);
  });
  child.stdin?.on("error", () => undefined); // It has ended; `ended` tells how.
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(`it did not start: ${error.message}`));
    child.on("exit", (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
  return {
    child,
    pid: child.pid,
    ended,
    words: () => words,
    cancel: () => child.kill("SIGINT"),
    lines: (take) => listeners.push(take),
    // An unknown process may hold them open, and this program with them.
    release: () => {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    },
  };
}
