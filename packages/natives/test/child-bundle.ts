/**
 * This package as one JavaScript file, for tests that need a process or a worker of their own: those run plain Node,
 * which reads no TypeScript.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";

/** Longest that a child may take, in milliseconds, before it counts as hung. */
const CHILD_MS = 45_000;

const source = fileURLToPath(new URL("../src/", import.meta.url));

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Programs that import this package by the name `natives`. */
export interface ChildBundle {
  /** Writes a module whose text may use `natives.Shell` and so on; returns its path. */
  program(name: string, text: string): string;
  /** Runs such a module in a process of its own. A child that hangs is killed and ends with SIGKILL. */
  run(path: string, options?: { flags?: string[]; env?: Record<string, string> }): Promise<ChildEnd>;
  /** Removes everything. */
  dispose(): void;
}

/** Bundles the sources as they are now. */
export function createChildBundle(): ChildBundle {
  const folder = mkdtempSync(join(tmpdir(), "pi-natives-child-"));
  const bundle = join(folder, "natives.mjs");
  buildSync({
    entryPoints: [join(source, "index.ts")],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // The addon is looked for beside the sources, wherever the bundle lies.
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(source, "binding.ts")).href) },
  });
  return {
    program(name, text) {
      const path = join(folder, `${name}.mjs`);
      writeFileSync(path, `import * as natives from ${JSON.stringify(pathToFileURL(bundle).href)};\n${text}`);
      return path;
    },
    run: (path, options = {}) => runChild(path, options.flags ?? [], options.env ?? {}),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runChild(path: string, flags: string[], env: Record<string, string>): Promise<ChildEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, path], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: CHILD_MS,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      // What the child started may hold its pipes; its own end is what counts.
      setImmediate(() => resolve({ code, signal, stdout, stderr }));
    });
  });
}
