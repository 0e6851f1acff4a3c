/**
 * A reader in C, the limit of the machine: it starts the same bash on the same pipe or terminal, reads, counts and waits.
 * It measures itself, so that starting it from here costs nothing. It is compiled when it is needed.
 */
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Contender, stateless } from "../contender.ts";

const source = fileURLToPath(new URL("../../c/reader.c", import.meta.url));

/** Compiles the reader into `folder`. Returns its path; `undefined` where there is no C compiler. */
export function compileReader(folder: string): string | undefined {
  const program = join(folder, "reader");
  try {
    execFileSync("cc", ["-O2", "-o", program, source], { stdio: ["ignore", "ignore", "pipe"] });
    return program;
  } catch {
    return undefined;
  }
}

/** The reader at `program`, on a pipe or a terminal. */
export function cReader(program: string, how: "pipe" | "pty"): Contender {
  return stateless(async (command, { signal }) => {
    const options = { encoding: "utf8" as const, ...(signal === undefined ? {} : { signal }) };
    const { stdout } = await promisify(execFile)(program, [how, command], options);
    const [bytes = 0, wallNs = 0, cpuNs = 0, exitCode = -1] = stdout.trim().split(" ").map(Number);
    return { totalBytes: bytes, exitCode, own: { wallMs: wallNs / 1e6, cpuMs: cpuNs / 1e6 } };
  });
}
