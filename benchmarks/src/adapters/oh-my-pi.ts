/**
 * oh-my-pi's natives: a shell embedded in the process, the same for one command, and a terminal. The package is for Bun; in
 * Node its addon is loaded without the package's own loader, which Node cannot run.
 */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Contender, type Ended, type RunOptions, stateless } from "../contender.ts";
import { importPeer, peerFile } from "./peer-folder.ts";

type OnChunk = (error: Error | null, text: string) => void;

interface Request {
  readonly command: string;
  readonly signal?: AbortSignal;
}

interface Result {
  readonly exitCode?: number;
}

interface Natives {
  readonly Shell: new () => { run(request: Request, onChunk: OnChunk): Promise<Result>; abort(): Promise<void> };
  readonly executeShell: (request: Request, onChunk: OnChunk) => Promise<Result>;
  readonly PtySession: new () => {
    start(request: Request & { cols: number; rows: number; shell: string }, onChunk: OnChunk): Promise<Result>;
  };
}

const NAME = "@oh-my-pi/pi-natives";

/** By its loader under Bun, by its file under Node: the build that its loader would take. */
async function natives(): Promise<Natives> {
  if (process.versions["bun"] !== undefined) return importPeer<Natives>(NAME);
  const machine = `${process.platform}-${process.arch}`;
  const builds = hasAvx2() ? ["-modern", "-baseline", ""] : ["-baseline", ""];
  const files = builds.map((build) => peerFile(`${NAME}-${machine}`, `pi_natives.${machine}${build}.node`));
  const file = files.find((candidate) => existsSync(candidate));
  if (file === undefined) throw new Error(`${NAME} has no addon for ${machine}`);
  return createRequire(import.meta.url)(file) as Natives;
}

function hasAvx2(): boolean {
  try {
    return readFileSync("/proc/cpuinfo", "latin1").includes(" avx2 ");
  } catch {
    return false;
  }
}

/** A session. */
export async function ohMyPiShell(): Promise<Contender> {
  const { Shell } = await natives();
  return {
    open: () => {
      const shell = new Shell();
      return {
        run: async (command, options) => ended(await shell.run(request(command, options), onChunk(options))),
        close: () => shell.abort(),
      };
    },
  };
}

/** One command. */
export async function ohMyPiExecute(): Promise<Contender> {
  const { executeShell } = await natives();
  return stateless(async (command, options) => ended(await executeShell(request(command, options), onChunk(options))));
}

/** A program on a terminal. */
export async function ohMyPiTerminal(): Promise<Contender> {
  const { PtySession } = await natives();
  return stateless(async (command, options) => {
    const more = { cols: 120, rows: 40, shell: "bash" };
    return ended(await new PtySession().start({ ...request(command, options), ...more }, onChunk(options)));
  });
}

function request(command: string, { signal }: RunOptions): Request {
  return signal === undefined ? { command } : { command, signal };
}

/** It has no way to be slowed down other than by blocking, so a promise is not waited for. */
function onChunk({ take }: RunOptions): OnChunk {
  return (_error, text) => void take(text);
}

function ended({ exitCode }: Result): Ended {
  return exitCode === undefined ? {} : { exitCode };
}
