/**
 * What a line can be put behind or inside of: programs that run others, shells, and the shell's own constructs.
 *
 * A wrapper takes the text of a command and gives one back; those that hand over words of their own (`xargs`, `find`,
 * `fd`) also say what the words are.
 */
import { singleQuoted } from "@pi-bash/command/internal";
import { pick, type Random } from "../../../../test/support/random.ts";

/** Text before a command. */
export const PREFIXES: readonly string[] = [
  "timeout 5",
  "timeout -k 1 5",
  "timeout --signal=TERM 5",
  "timeout --foreground 5",
  "nice",
  "nice -n 5",
  "nice -10",
  "ionice -c3",
  "env",
  "env LC_ALL=C",
  "env A=1",
  "env -i",
  "env -u HOME",
  "env --",
  "command",
  "command -p",
  "command --",
  "builtin",
  "stdbuf -oL",
  "stdbuf --output=0",
  "setsid -w",
  "time",
  "time -p",
  "/usr/bin/time",
  "\\time -o pwned",
  "taskset 1",
  "taskset -c 0",
  "chrt -o 0",
  "nohup",
  "/usr/bin/env",
  "/bin/timeout 5",
  "!",
  "exec",
  "busybox",
  "numactl -l",
  "find src -maxdepth 0 -exec",
  "find src -maxdepth 0 -execdir",
];

/** What ends the command of a prefix. */
export function ending(prefix: string): string {
  return prefix.startsWith("find ") ? " \\;" : "";
}

const SHELLS = [
  "sh",
  "bash",
  "dash",
  "/bin/sh",
  "/bin/bash",
  "zsh",
  "ksh",
  "rbash",
  "bash --norc",
  "sh -e",
  "bash -u",
  "sh -x",
  "bash --posix",
  "sh +x",
  "bash -O extglob",
  "mksh",
  "ash",
];

/** The command in another construct of the shell, or as a text for another shell. */
export function enclose(line: string, random: Random): string {
  const forms: readonly (() => string)[] = [
    () => `( ${line} )`,
    () => `{ ${line}; }`,
    () => `if ${line}; then :; fi`,
    () => `for i in 1; do ${line}; done`,
    () => `echo "$(${line})"`,
    () => `cat <(${line})`,
    () => `${line} | cat`,
    () => `echo x | ${line}`,
    () => `${line} 2>&1`,
    () => `${line} </dev/null`,
    () => `cd src && ${line}`,
    () => `${pick(SHELLS, random)} -c ${singleQuoted(line)}`,
    () => `${pick(SHELLS, random)} -c ${singleQuoted(line)} name arg`,
    () => `${pick(SHELLS, random)} -c ${ansiQuoted(line)}`,
    () => `${pick(SHELLS, random)} -c "${line.replaceAll(/["\\$`]/g, "\\$&")}"`,
    () => `true && ${line}`,
    () => `false || ${line}`,
    () => `case x in x) ${line};; esac`,
    () => `while read -r l; do ${line}; break; done < README.md`,
    () => `! ${line}`,
    () => `cat <<< "$(${line})"`,
    () => `${line} # touch pwned`,
    () => `eval ${singleQuoted(line)}`,
    () => `[ -n "$(${line})" ]`,
    () => `cat <<E\n$(${line})\nE`,
  ];
  return pick(forms, random)();
}

function ansiQuoted(text: string): string {
  return `$'${text.replaceAll(/[\\']/g, "\\$&").replaceAll("\n", "\\n")}'`;
}

/** A way of handing over words that the text does not show. */
export interface Appender {
  /** The whole line for a command's words. */
  readonly line: (command: string) => string;
  /** Where the handed words come from: standard input of the line, or names of files. */
  readonly from: "stdin" | "files";
  /** The word that is replaced; absent where words are added at the end. */
  readonly placeholder?: string;
}

/** `xargs`, `find -exec` and `fd -x` in many spellings. */
export const APPENDERS: readonly Appender[] = [
  { line: (command) => `xargs ${command}`, from: "stdin" },
  { line: (command) => `xargs -n1 ${command}`, from: "stdin" },
  { line: (command) => `xargs -0 ${command}`, from: "stdin" },
  { line: (command) => `xargs -d '\\n' ${command}`, from: "stdin" },
  { line: (command) => `xargs -r -L1 ${command}`, from: "stdin" },
  { line: (command) => `xargs -n 20 -P1 ${command}`, from: "stdin" },
  { line: (command) => `cat | xargs ${command}`, from: "stdin" },
  { line: (command) => `xargs xargs ${command}`, from: "stdin" },
  { line: (command) => `xargs nice ${command}`, from: "stdin" },
  { line: (command) => `nice xargs ${command}`, from: "stdin" },
  { line: (command) => `xargs timeout 5 ${command}`, from: "stdin" },
  { line: (command) => `xargs env ${command}`, from: "stdin" },
  { line: (command) => `xargs command ${command}`, from: "stdin" },
  { line: (command) => `xargs stdbuf -oL ${command}`, from: "stdin" },
  { line: (command) => `xargs sh -c '${command.replaceAll("'", "'\\''")} "$@"' _`, from: "stdin" },
  { line: (command) => `xargs bash -c '${command.replaceAll("'", "'\\''")} $*' _`, from: "stdin" },
  ...["{}", "X", "%", "A"].flatMap((placeholder): Appender[] =>
    [
      `-I ${placeholder}`,
      `-I${placeholder}`,
      `-rI ${placeholder}`,
      `--replace=${placeholder}`,
      `-i${placeholder}`,
      `-I Y -I ${placeholder}`,
      `-I ${placeholder} -n1`,
      `-E -IC -I ${placeholder}`,
      `-I ${placeholder} --replace=${placeholder}`,
    ].map((options) => ({ line: (command) => `xargs ${options} ${command}`, from: "stdin", placeholder })),
  ),
  { line: (command) => `xargs --replace ${command}`, from: "stdin", placeholder: "{}" },
  { line: (command) => `xargs -i ${command}`, from: "stdin", placeholder: "{}" },
  { line: (command) => `xargs -I X timeout 5 ${command}`, from: "stdin", placeholder: "X" },
  { line: (command) => `xargs -I X xargs -I Y ${command}`, from: "stdin", placeholder: "X" },
  { line: (command) => `find . -type f -exec ${command} \\;`, from: "files", placeholder: "{}" },
  { line: (command) => `find * -type f -exec ${command} \\;`, from: "files", placeholder: "{}" },
  { line: (command) => `find . -type f -execdir ${command} \\;`, from: "files", placeholder: "{}" },
  { line: (command) => `find . -type f -exec nice ${command} \\;`, from: "files", placeholder: "{}" },
  { line: (command) => `find * -exec ${command} {} +`, from: "files" },
  { line: (command) => `find -- * -prune -exec ${command} {} \\;`, from: "files" },
  { line: (command) => `find . -type f -exec xargs -a README.md ${command} \\;`, from: "files", placeholder: "{}" },
  { line: (command) => `find . -type f -printf '%f\\0' | xargs -0 ${command}`, from: "files" },
  { line: (command) => `ls | xargs -d '\\n' ${command}`, from: "files" },
  { line: (command) => `ls | xargs -I{} ${command}`, from: "files", placeholder: "{}" },
  { line: (command) => `for f in *; do ${command}; done`, from: "files", placeholder: "$f" },
  { line: (command) => `for f in *; do ${command}; done`, from: "files", placeholder: '"$f"' },
  { line: (command) => `ls | while read -r f; do ${command}; done`, from: "files", placeholder: "$f" },
  {
    line: (command) => `printf '%s\\n' * | while IFS= read -r f; do ${command}; done`,
    from: "files",
    placeholder: '"$f"',
  },
  { line: (command) => `${command} *`, from: "files" },
  { line: (command) => `${command} -- *`, from: "files" },
  { line: (command) => `${command} $(ls)`, from: "files" },
  { line: (command) => `fd . -x ${command}`, from: "files", placeholder: "{}" },
  { line: (command) => `fd . -x ${command}`, from: "files", placeholder: "{/}" },
  { line: (command) => `fd . -X ${command}`, from: "files" },
];
