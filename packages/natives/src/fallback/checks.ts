/**
 * What the core checks before it starts anything, for where there is no core: directory, command, names of variables.
 *
 * Types and ranges were checked before (`../shell-options.ts`). Codes and words are those of `crates/pi-shell/src/error.rs`.
 */
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { ShellError } from "../shell-error.ts";
import { MAX_ARGUMENT_BYTES } from "./bash-process.ts";

/** Folders looked in after those of `PATH`. */
const USUAL_FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "C:\\Program Files\\Git\\bin"];

/** The directory a command starts in. */
export function checkDirectory(base: string, wanted: string | undefined): string {
  const path = resolve(base, wanted ?? ".");
  let found: Stats | undefined;
  try {
    found = statSync(path);
  } catch {
    throw new ShellError("PI_MISSING_CWD", `Working directory does not exist: ${path}`);
  }
  if (!found.isDirectory())
    throw new ShellError("PI_CWD_NOT_A_DIRECTORY", `Working directory is not a directory: ${path}`);
  return path;
}

/** Refuses what no shell can be given. */
export function checkCommand(command: string): string {
  const offset = command.indexOf("\0");
  if (offset === -1) return command;
  throw new ShellError("PI_NUL_IN_COMMAND", `the command contains a NUL byte at offset ${offset}; remove it`);
}

/** Refuses names that bash would not export, and values that no environment can hold. */
export function checkVariables(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new ShellError(
        "PI_INVALID_ENV",
        `environment variable name \`${name}\` is not a name; use letters, digits and _`,
      );
    }
    if (value.includes("\0")) {
      throw new ShellError("PI_INVALID_ENV", `environment variable \`${name}\` contains a NUL byte; remove it`);
    }
  }
  return variables;
}

/** Refuses a variable that no program can be given. */
export function checkSizes(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(variables)) {
    const size = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
    if (size <= MAX_ARGUMENT_BYTES) continue;
    throw new ShellError(
      "PI_INVALID_ENV",
      `environment variable \`${name}\` has ${size} bytes, more than the ${MAX_ARGUMENT_BYTES} a program can be given; pass it in a file`,
    );
  }
  return variables;
}

/**
 * What a failure to start means, where it is that variables are together more than a program can be given: the largest of
 * `options` is named.
 */
export function startError(
  error: unknown,
  options: Readonly<Record<string, Readonly<Record<string, string>> | undefined>>,
): unknown {
  if (!(error instanceof Error && "code" in error && error.code === "E2BIG")) return error;
  const sizes = Object.entries(options).map(([name, variables = {}]) => {
    const sized = Object.entries(variables).map(([key, value]) => ({
      key,
      bytes: Buffer.byteLength(key) + Buffer.byteLength(value) + 2,
    }));
    const bytes = sized.reduce((sum, variable) => sum + variable.bytes, 0);
    return { name, count: sized.length, bytes, largest: largestOf(sized)?.key ?? "" };
  });
  const { name = "env", count = 0, bytes = 0, largest = "" } = largestOf(sizes) ?? {};
  return new ShellError(
    "PI_INVALID_ENV",
    `option \`${name}\` makes an environment of ${count} variables and ${bytes} bytes, more than a program can be given; remove some, or pass large values in files (\`${largest}\` is the largest)`,
    { cause: error },
  );
}

function largestOf<Sized extends { readonly bytes: number }>(sizes: readonly Sized[]): Sized | undefined {
  return sizes.reduce<Sized | undefined>((most, size) => (size.bytes > (most?.bytes ?? -1) ? size : most), undefined);
}

/** The bash to run: the one asked for, else the first one found. */
export function findBash(wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (isExecutable(wanted)) return wanted;
    throw new ShellError("PI_UNUSABLE_SHELL", `\`${wanted}\` cannot be run; set \`shell\` to the path of a bash`);
  }
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter).filter((path) => isAbsolute(path)),
    ...USUAL_FOLDERS,
  ];
  const name = process.platform === "win32" ? "bash.exe" : "bash";
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (found !== undefined) return found;
  throw new ShellError("PI_SHELL_NOT_FOUND", `no bash found in ${folders.join(", ")}; install bash or set \`shell\``);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
