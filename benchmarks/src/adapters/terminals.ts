/** Peers that run programs on a pseudoterminal in node-pty's way: node-pty itself, its prebuilt twin, and zigpty. */
import { type Contender, type Ended, stateless } from "../contender.ts";
import { importPeer } from "./peer-folder.ts";

/** What the three have in common. */
interface NodePty {
  spawn(
    file: string,
    args: string[],
    options: { cols: number; rows: number; name: string; env: Record<string, string | undefined> },
  ): {
    onData(listener: (text: string | Uint8Array) => void): unknown;
    onExit(listener: (end: { exitCode: number; signal?: number }) => void): unknown;
    kill(signal?: string): void;
    pause(): void;
    resume(): void;
  };
}

/** A peer by the name of its package. Stopped with SIGKILL, which is the surest that it offers. */
export async function terminalPeer(name: string): Promise<Contender> {
  const module = await importPeer<Partial<NodePty> & { default?: NodePty }>(name);
  const spawn = module.spawn ?? module.default?.spawn;
  if (spawn === undefined) throw new Error(`${name} has no spawn`);
  return stateless(
    (command, { signal, take }) =>
      new Promise<Ended>((resolve) => {
        const options = { cols: 120, rows: 40, name: "xterm-256color", env: process.env };
        const program = spawn("bash", ["-c", command], options);
        const stop = () => program.kill("SIGKILL");
        signal?.addEventListener("abort", stop, { once: true });
        program.onData((text) => {
          const waiting = take(text as string);
          if (waiting === undefined) return;
          program.pause();
          void waiting.then(() => program.resume());
        });
        program.onExit(({ exitCode, signal: number }) => {
          signal?.removeEventListener("abort", stop);
          resolve(number ? {} : { exitCode });
        });
      }),
  );
}
