/** Peers, each used as its documentation shows. A peer that is not installed is left out by name. */
import { spawn } from "node:child_process";
import type { Contender, Delivered } from "../contender.ts";

/** Node's own `spawn`, two pipes, text decoded. */
export function childProcess(): Contender {
  return {
    name: "child_process.spawn",
    run: (command, { signal, consume } = {}) =>
      new Promise<Delivered>((resolve, reject) => {
        const child = spawn("bash", ["-c", command], {
          stdio: ["ignore", "pipe", "pipe"],
          ...(signal === undefined ? {} : { signal }),
        });
        let bytes = 0;
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8");
          stream.on("data", (text: string) => {
            bytes += Buffer.byteLength(text);
            const waiting = consume?.();
            if (waiting === undefined) return;
            stream.pause();
            void waiting.then(() => stream.resume());
          });
        }
        child.on("error", (error) => (error.name === "AbortError" ? undefined : reject(error)));
        child.on("close", (code) => resolve({ bytes, exitCode: code ?? undefined }));
      }),
    close: async () => {},
  };
}

/** execa with its output as an iterable of text; `undefined` where it is not installed. */
export async function execaPeer(): Promise<Contender | undefined> {
  const module = await import("execa").catch(() => undefined);
  if (module === undefined) return undefined;
  const { execa } = module;
  return {
    name: "execa",
    async run(command, { signal, consume } = {}) {
      const child = execa("bash", ["-c", command], {
        all: true,
        buffer: false,
        reject: false,
        stdin: "ignore",
        ...(signal === undefined ? {} : { cancelSignal: signal }),
      });
      let bytes = 0;
      for await (const chunk of child.all ?? []) {
        bytes += Buffer.byteLength(chunk as Uint8Array);
        await consume?.();
      }
      const { exitCode } = await child;
      return { bytes, exitCode };
    },
    close: async () => {},
  };
}
