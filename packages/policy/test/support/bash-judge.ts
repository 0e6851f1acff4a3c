/**
 * What real bash makes of command lines: which commands it starts, and what they do to a folder.
 *
 * Two ways. `recordCommands` runs lines with an empty PATH, so that every program and most builtins end in a recorder
 * that writes its arguments down and runs nothing; the recorder looks through a few wrappers as the real ones would.
 * `runForReal` runs lines with the real programs. Both work in a folder of their own per line, without input, bounded
 * in time, output and file size.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the lines find in their folder. */
const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Read me\nfoo\nbar\n",
  "log.txt": "one two\nfoo three\n",
  "data.csv": "2,b\n1,a\n1,a\n",
  "package.json": '{ "version": "1.0.0" }\n',
  "src/a.ts": "export const a = 1;\n",
  "tests/a.test.ts": "test\n",
};

const NAMES = Object.keys(FILES).map((name) => name.split("/")[0]);

/** Seconds a line may run; a recorded one needs milliseconds. */
const LINE_LIMIT_SECONDS = 20;

/** The recorder. Builtins that act on their own are switched off, so that they are recorded as well. */
const RECORDER = String.raw`
enable -n kill echo test '[' pwd type ulimit umask hash
command_not_found_handle() {
  { printf '%s\0' "$#" "$@"; } >&9
  case $1 in
    timeout) shift 2; "$@" ;;
    nice | nohup | env) shift; while [[ $1 == *=* ]]; do shift; done; (($#)) && "$@" ;;
    bash | sh) [[ $2 == -c ]] && { local text=$3; shift 3; eval "$text"; } ;;
    xargs) shift; (($#)) && "$@" appended ;;
  esac
  return $(( ($# + \${#1}) % 2 ))
}
PATH=/nonexistent
`.replace("\\${", "${");

/** Reads lines ended by NUL and runs each in its folder. */
const DRIVER = String.raw`
ulimit -f 4096 -c 0
index=0
while IFS= read -r -d '' line; do
  cd "$1/$index" || exit 1
  /usr/bin/env -i PATH="$PATH" HOME="$1" LC_ALL=C BASH_ENV="$2" \
    timeout -k 1 "$3" bash --noprofile --norc -c "$line" 9>"$1/log.$index" </dev/null >"$1/out.$index" 2>&1
  index=$((index + 1))
done
`;

/** What one line did. */
export interface Judged {
  readonly line: string;
  /** Programs and switched-off builtins with their arguments, in no certain order. */
  readonly executed: readonly (readonly string[])[];
  /** True when the folder is not as it was. */
  readonly changed: boolean;
}

/** Runs lines with the recorder in place of all programs. */
export function recordCommands(lines: readonly string[], folder: string): Judged[] {
  const recorder = join(folder, "recorder.sh");
  mkdirSync(folder, { recursive: true });
  writeFileSync(recorder, RECORDER);
  return run(lines, folder, recorder);
}

/** Runs lines with the real programs; only lines that are expected to change nothing belong here. */
export function runForReal(lines: readonly string[], folder: string): Judged[] {
  mkdirSync(folder, { recursive: true });
  return run(lines, folder, "");
}

function run(lines: readonly string[], folder: string, startup: string): Judged[] {
  for (const index of lines.keys()) layOut(join(folder, String(index)));
  const result = spawnSync(
    "bash",
    ["--noprofile", "--norc", "-c", DRIVER, "driver", folder, startup, String(LINE_LIMIT_SECONDS)],
    {
      input: lines.map((line) => `${line}\0`).join(""),
      timeout: 60_000 + lines.length * 1_000,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    },
  );
  if (result.error !== undefined || result.status !== 0) throw new Error("bash did not judge", { cause: result.error });
  const judged = lines.map((line, index) => ({
    line,
    executed: readLog(readFileSync(join(folder, `log.${index}`), "utf8")),
    changed: isChanged(join(folder, String(index))),
  }));
  rmSync(folder, { recursive: true, force: true });
  return judged;
}

function layOut(folder: string): void {
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(folder, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
  }
}

function isChanged(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.length !== new Set(NAMES).size) return true;
  return Object.entries(FILES).some(([name, content]) => {
    try {
      return readFileSync(join(folder, name), "utf8") !== content;
    } catch {
      return true; // Removed.
    }
  });
}

/** The log is a count, then that many words, all ended by NUL. */
function readLog(log: string): string[][] {
  const fields = log.split("\0");
  const commands: string[][] = [];
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at]);
    commands.push(fields.slice(at + 1, at + 1 + count));
    at += count + 1;
  }
  return commands;
}
