/**
 * Hosts: processes of their own that use the runtime as an agent would, for what a test cannot do to itself (be killed,
 * lack a PATH, run as another user). A host is a program of `test/programs/`, made one file of plain JavaScript, because
 * the oldest supported Node reads no TypeScript.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { onTestFinished } from "vitest";
import { until, within } from "./patience.ts";
import { scratchFolder } from "./scratch.ts";

/** Longest life of a host in milliseconds, before it counts as hung. */
const HOST_MS = 40_000;

const programs = fileURLToPath(new URL("../programs/", import.meta.url));
const natives = fileURLToPath(new URL("../../packages/natives/", import.meta.url));

/** How to start a host. */
export interface HostOptions {
  /** Arguments of the program. */
  readonly args?: readonly string[];
  /** Flags of Node. */
  readonly flags?: readonly string[];
  /** The whole environment. Default: that of the test. */
  readonly env?: Readonly<Record<string, string>>;
  /** Words before `node`, e.g. `["setpriv", "--reuid", "65534"]`. */
  readonly wrapper?: readonly string[];
  /** Start it as the leader of a process group of its own. */
  readonly detached?: boolean;
  /** Give it a copy of the addon that every user can read, wherever the checkout lies. */
  readonly copiesAddon?: boolean;
  /** Longest life, in milliseconds, before it counts as hung. Default: 40 s. */
  readonly longestMs?: number;
}

/** How a host ended. */
export interface HostEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A host that runs. */
export interface Host {
  readonly process: ChildProcess;
  /** Its id. */
  readonly pid: number;
  /** What it printed so far. */
  stdout(): string;
  stderr(): string;
  /** Waits until it has printed `word`. */
  printed(word: string): Promise<void>;
  /** Waits for its end; one that hangs is killed, and this throws. */
  ended(): Promise<HostEnd>;
}

/** Starts `test/programs/<name>.ts`. It is killed when the test is over, should it still run then. */
export function startHost(name: string, options: HostOptions = {}): Host {
  const words = [...(options.wrapper ?? []), process.execPath, ...(options.flags ?? []), program(name, options)];
  const child = spawn(words[0] ?? process.execPath, [...words.slice(1), ...(options.args ?? [])], {
    env: { ...(options.env ?? process.env) },
    stdio: ["ignore", "pipe", "pipe"],
    detached: options.detached ?? false,
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const seen = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      seen[name] += text;
    });
  }
  // Its own end counts and not that of its pipes, which what it started may hold; what it printed is read by then.
  const end = new Promise<HostEnd>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => setTimeout(() => resolve({ code, signal }), 50));
  });
  end.catch(() => undefined);
  return {
    process: child,
    pid: child.pid ?? 0,
    stdout: () => seen.stdout,
    stderr: () => seen.stderr,
    printed: (word) =>
      until(`host to print ${word}: ${seen.stderr}`, () => {
        const isGone = child.exitCode !== null || child.signalCode !== null;
        if (seen.stdout.includes(word) || !isGone) return seen.stdout.includes(word);
        throw new Error(`host ended before it printed ${word}: ${seen.stderr}`);
      }),
    ended: () => within(`end of host ${name}`, end, options.longestMs ?? HOST_MS),
  };
}

/** The program and the runtime as one file of plain JavaScript, gone when the test is over. */
function program(name: string, { copiesAddon = false }: HostOptions): string {
  const folder = scratchFolder();
  const outfile = join(folder, `${name}.mjs`);
  if (copiesAddon) {
    cpSync(join(natives, "bin"), join(folder, "bin"), { recursive: true });
    // The loader compares its version with the addon's.
    cpSync(join(natives, "package.json"), join(folder, "package.json"));
  }
  // The addon is looked for in `../bin` as seen from this file, which need not exist.
  const loader = join(copiesAddon ? folder : natives, "src", "binding.ts");
  buildSync({
    entryPoints: [join(programs, `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["pi-source"],
    define: { "import.meta.url": JSON.stringify(pathToFileURL(loader).href) },
  });
  return outfile;
}
