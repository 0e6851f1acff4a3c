/** Peers that run commands over pipes: Node's own `spawn`, and execa. */
import { spawn } from "node:child_process";
import { type Contender, type Ended, stateless } from "../contender.ts";

/** Node's own `spawn`, two pipes, text decoded, settled when both are closed. */
export function childProcess(): Contender {
  return stateless(
    (command, { signal, take }) =>
      new Promise<Ended>((resolve, reject) => {
        const child = spawn("bash", ["-c", command], {
          stdio: ["ignore", "pipe", "pipe"],
          ...(signal === undefined ? {} : { signal }),
        });
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8");
          stream.on("data", (text: string) => {
            const waiting = take(text);
            if (waiting === undefined) return;
            stream.pause();
            void waiting.then(() => stream.resume());
          });
        }
        child.on("error", (error) => (error.name === "AbortError" ? undefined : reject(error)));
        child.on("close", (code) => resolve(code === null ? {} : { exitCode: code }));
      }),
  );
}

/**
 * What anyone writes first: one bash that reads commands from a pipe, and a line that ends each of them. It has no bound,
 * no stop, and no answer to `exit`, to a background child or to output that looks like its line.
 */
export function bashByHand(): Contender {
  return {
    open: () => {
      const bash = spawn("bash", ["--norc", "--noprofile"], { stdio: ["pipe", "pipe", "inherit"] });
      let text = "";
      let onEnd: ((end: [output: string, status: number]) => void) | undefined;
      bash.stdout.setEncoding("utf8").on("data", (more: string) => {
        text += more;
        const end = text.indexOf("\u0001");
        if (end < 0 || !text.endsWith("\n")) return;
        const answer: [string, number] = [text.slice(0, end), Number(text.slice(end + 1))];
        text = "";
        onEnd?.(answer);
      });
      return {
        run: async (command, { take }) => {
          const ended = new Promise<[string, number]>((resolve) => {
            onEnd = resolve;
          });
          bash.stdin.write(`${command}\nprintf '\\1%d\\n' $?\n`);
          const [output, exitCode] = await ended;
          await take(output);
          return { exitCode };
        },
        close: async () => void bash.kill("SIGKILL"),
      };
    },
  };
}

/** execa with its output as an iterable of text. Rejects where it is not installed. */
export async function execaPeer(): Promise<Contender> {
  const { execa } = await import("execa");
  return stateless(async (command, { signal, take }) => {
    const child = execa("bash", ["-c", command], {
      all: true,
      buffer: false,
      reject: false,
      stdin: "ignore",
      ...(signal === undefined ? {} : { cancelSignal: signal }),
    });
    child.all.setEncoding("utf8");
    for await (const text of child.all) await take(text as string);
    const { exitCode } = await child;
    return exitCode === undefined ? {} : { exitCode };
  });
}
