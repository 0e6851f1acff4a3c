/**
 * Builds the driver with the system's C compiler: one shared object that leaves everything but itself to bash.
 *
 *   node bash-driver/build.mjs [FOLDER]             pi-driver.so, into bash-driver/bin or FOLDER
 *   node bash-driver/build.mjs [FOLDER] --client    the tests' host too
 *
 * CC names another compiler, as one word or several: `CC="zig cc -target aarch64-linux-gnu.2.28"` builds for another
 * architecture. Warnings are errors.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Linked last: its memory lies behind that of the others, see src/room.h. */
const LAST = "room.c";

const here = fileURLToPath(new URL(".", import.meta.url));
const WARNINGS = "-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Werror".split(
  " ",
);
const LANGUAGE = ["-std=gnu11", "-O2", "-D_GNU_SOURCE"];
// No checks that need a library: the object has none. No probes of the gap that evaluate.c keeps in the stack.
const CODE = "-fPIC -fvisibility=hidden -fno-stack-protector -fno-stack-clash-protection -U_FORTIFY_SOURCE".split(" ");
// `now`: a bash that lacks a name refuses the object when it is loaded, not in mid-command. `nodelete`:
// `enable -d pi_driver` must not take away the code that runs.
const LINK = ["-shared", "-nostdlib", "-s", "-Wl,--build-id=none"].concat(
  ["now", "relro", "nodelete", "noexecstack"].map((word) => `-Wl,-z,${word}`),
);

/** Runs the compiler to its end. */
function compile(words) {
  const [compiler, ...before] = (process.env.CC?.trim() || "cc").split(/\s+/);
  const { status, signal, error } = spawnSync(compiler, [...before, ...words], {
    cwd: here,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 120_000,
  });
  if (error?.code === "ENOENT") {
    throw new Error(`there is no C compiler \`${compiler}\`; install one (Debian: gcc and libc6-dev) or name it in CC`);
  }
  if (error) throw error;
  if (status !== 0) throw new Error(`\`${compiler}\` ended with ${status ?? signal}`);
}

/** Makes a file in one step: a process that has the old one mapped keeps it. */
function make(words, output) {
  // Two builds may have the same process id, each in a container of its own.
  const made = `${output}.${randomUUID()}.tmp`;
  compile([...words, "-o", made]);
  renameSync(made, output);
}

/** In two steps, since zig takes `-nostdlib` to mean that there are no headers of the C library either. */
function makeObject(folder) {
  const others = readdirSync(join(here, "src")).filter((name) => name.endsWith(".c") && name !== LAST);
  const sources = [...others.sort(), LAST];
  const pieces = mkdtempSync(join(folder, ".pieces-"));
  try {
    const compiled = sources.map((name) => {
      const piece = join(pieces, name.replace(/c$/, "o"));
      compile([...WARNINGS, ...LANGUAGE, ...CODE, "-c", join("src", name), "-o", piece]);
      return piece;
    });
    make([...LINK, ...compiled], join(folder, "pi-driver.so"));
  } finally {
    rmSync(pieces, { recursive: true, force: true });
  }
}

function main(words) {
  if (process.platform !== "linux") throw new Error("the driver is built on Linux only");
  const folder = resolve(words.find((word) => !word.startsWith("--")) ?? join(here, "bin"));
  mkdirSync(folder, { recursive: true });
  makeObject(folder);
  if (words.includes("--client")) make([...WARNINGS, ...LANGUAGE, join("test", "client.c")], join(folder, "client"));
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`driver build failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
