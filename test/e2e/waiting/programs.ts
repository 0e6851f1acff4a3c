/**
 * Programs on a terminal that wait for a person: half of the table of docs/waiting.md; `working-programs.ts` has the other. Who may
 * look at them, and what becomes of the answer, is the tests'.
 */
import type { WaitingKind } from "@pi-bash/terminal";

/** One program. */
export interface TableRow {
  readonly name: string;
  /** For `bash -c`, in an empty folder. */
  readonly command: string;
  /** What it waits for; `keys` and `no` do not wait. */
  readonly expected: WaitingKind | "keys" | "no";
  /** Programs without which the row is skipped. Default: the first word of the command. */
  readonly needs?: readonly string[];
  readonly answers?: readonly (readonly [text: string, typed: string])[];
  readonly env?: Readonly<Record<string, string>>;
  /** On a busy machine it may still be starting when it is looked at last, and take no keys yet: it never waits all the same. */
  readonly startsSlowly?: true;
  /** It takes so long to ask, in milliseconds. Default 9,000; what does not wait is followed for 6,500. */
  readonly limitMs?: number;
}

const GIT = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** A repository with three commits and a change. */
const REPOSITORY =
  "git init -q . && for n in 1 2 3; do seq $n 40 >f; git add f; git commit -qm c$n; done; seq 50 90 >>f; ";

/** A program of Node that hides the cursor and draws `text`, as libraries of prompts do. */
const drawn = (text: string): string =>
  `node -e "process.stdin.setRawMode(true).on('data', () => {}); process.stdout.write('\\x1b[?25l${text}')"`;

/** Programs that wait for a person. */
export const WAITING: readonly TableRow[] = [
  {
    name: "a menu in node",
    command: drawn("? Color\\n❯ red\\n  green\\n"),
    expected: "key",
    needs: ["node"],
  },
  { name: "an input in node", command: drawn("◆  Your name?\\n│  _\\n└\\n"), expected: "key", needs: ["node"] },
  {
    name: "a drawn password in node",
    command: drawn("◆  Provide a password\\n│  _\\n└\\n"),
    expected: "secret",
    needs: ["node"],
  },
  { name: "read -p", command: 'read -p "Continue? [y/N] " x', expected: "line", needs: [] },
  { name: "read -s", command: 'read -s -p "Token: " x', expected: "secret", needs: [] },
  { name: "read without a prompt", command: "read x", expected: "line", needs: [] },
  { name: "select", command: "select x in a b; do break; done", expected: "line", needs: [] },
  { name: "bash -i", command: "bash --norc -i", expected: "prompt" },
  { name: "dash -i", command: "dash -i", expected: "line" },
  { name: "zsh -f", command: "zsh -f -i", expected: "prompt" },
  { name: "ksh", command: "ksh -i", expected: "prompt" },
  { name: "cat", command: "cat", expected: "line" },
  { name: "sort", command: "sort", expected: "line" },
  { name: "wc -l", command: "wc -l", expected: "line" },
  { name: "ed", command: "ed", expected: "line" },
  { name: "rm -i", command: "touch f; rm -i f", expected: "line", needs: [] },
  { name: "cp -i", command: "touch a b; cp -i a b", expected: "line", needs: [] },
  { name: "python3", command: "python3", expected: "prompt" },
  { name: "python3 input()", command: "python3 -c \"input('name: ')\"", expected: "line" },
  { name: "python3 getpass", command: 'python3 -c "import getpass; getpass.getpass()"', expected: "secret" },
  {
    name: "python3 input() in a thread",
    command:
      "python3 -c \"import threading, time; threading.Thread(target=lambda: input('> ')).start(); time.sleep(60)\"",
    expected: "line",
  },
  {
    name: "python3 input() in a thread, main busy",
    command:
      "python3 -c \"import threading; threading.Thread(target=lambda: input('> '), daemon=True).start()\nwhile True: sum(range(99999))\"",
    expected: "line",
  },
  {
    name: "python3 -m pdb",
    command: "echo 'x = 1' >t.py; python3 -m pdb t.py",
    expected: "prompt",
    needs: ["python3"],
  },
  { name: "node", command: "node", expected: "prompt" },
  {
    name: "node readline",
    command:
      "node -e \"require('readline').createInterface({input:process.stdin,output:process.stdout}).question('Name? ', () => {})\"",
    expected: "prompt",
  },
  { name: "bc", command: "bc -q", expected: "key" },
  { name: "dc", command: "dc", expected: "line" },
  { name: "perl -d", command: "perl -de0", expected: "line" },
  { name: "lua", command: "lua5.4", expected: "prompt" },
  { name: "irb", command: "irb -f --nomultiline", expected: "prompt" },
  { name: "tclsh", command: "tclsh", expected: "line" },
  { name: "sqlite3", command: "sqlite3", expected: "prompt" },
  { name: "gnuplot", command: "gnuplot", expected: "prompt" },
  { name: "gdb", command: "gdb -q /bin/true", expected: "prompt" },
  { name: "less", command: "seq 999 >f; less f", expected: "screen" },
  { name: "a pipe into less", command: "seq 9999 | less", expected: "screen", needs: ["less"] },
  {
    name: "git log",
    command: `${REPOSITORY}git -c core.pager="less -+F" log`,
    expected: "prompt",
    env: GIT,
    needs: ["git", "less"],
  },
  { name: "man", command: "man ls", expected: "screen" },
  { name: "vim", command: "vim -u NONE -n new", expected: "screen" },
  { name: "nano", command: "nano f", expected: "screen" },
  { name: "joe", command: "joe f", expected: "key" },
  { name: "git add -p", command: `${REPOSITORY}git add -p`, expected: "line", env: GIT, needs: ["git"] },
  {
    name: "git commit with vim",
    command: `${REPOSITORY}git add f; GIT_EDITOR="vim -u NONE" git commit`,
    expected: "screen",
    env: GIT,
    needs: ["git", "vim"],
  },
  {
    name: "git rebase -i with nano",
    command: `${REPOSITORY}git reset -q --hard; GIT_EDITOR=nano git rebase -i HEAD~1`,
    expected: "screen",
    env: GIT,
    needs: ["git", "nano"],
  },
  {
    name: "openssl req",
    command: "openssl req -new -newkey rsa:2048 -nodes -keyout /dev/null",
    expected: "line",
  },
  {
    name: "openssl enc",
    command: "echo a >a; openssl enc -aes-256-cbc -pbkdf2 -in a",
    expected: "secret",
    needs: ["openssl"],
  },
  { name: "ssh-keygen", command: "ssh-keygen", expected: "line" },
  { name: "gpg", command: "GNUPGHOME=$PWD gpg --full-generate-key", expected: "prompt", needs: ["gpg"] },
  { name: "fdisk", command: "truncate -s 10M d; fdisk d", expected: "prompt", needs: ["fdisk"] },
  { name: "whiptail", command: "whiptail --yesno q 8 40", expected: "screen" },
  { name: "dialog", command: "dialog --yesno q 8 40", expected: "prompt" },
  { name: "npm init", command: "npm init", expected: "prompt", env: { npm_config_update_notifier: "false" } },
  { name: "telnet", command: "telnet", expected: "line" },
  { name: "ftp", command: "ftp", expected: "prompt" },
  { name: "psql -W", command: "psql -h 127.0.0.1 -p 1 -W x", expected: "secret" },
  { name: "su", command: "setpriv --reuid=65534 --clear-groups su", expected: "secret", needs: ["setpriv", "su"] },
  { name: "script", command: "script -q -c \"read -p 'inner? ' x\" /dev/null", expected: "prompt" },
  { name: "read from /dev/tty", command: 'true | (read -p "Install? " x </dev/tty)', expected: "line", needs: [] },
  { name: "fzf", command: "seq 100 | fzf", expected: "screen" },
  { name: "mc", command: "mc -u", expected: "screen" },
  { name: "redis-cli", command: "redis-cli -p 1", expected: "prompt" },
  { name: "lftp", command: "lftp", expected: "prompt" },
  {
    name: "git credential over http",
    command: "git -c credential.helper= credential fill <<<$'protocol=https\\nhost=example.org\\n'",
    expected: "line",
    env: GIT,
    needs: ["git"],
  },
  { name: "w3m", command: "echo hi >a.html; w3m a.html", expected: "screen", needs: ["w3m"] },
  { name: "ncdu", command: "ncdu .", expected: "screen" },
  { name: "passwd", command: "passwd", expected: "secret" },
  {
    name: "gpg without pinentry",
    command: "echo a >a; mkdir -m 700 g; GNUPGHOME=$PWD/g gpg --pinentry-mode loopback -c a",
    expected: "secret",
    needs: ["gpg"],
  },
  {
    name: "git commit with nano",
    command: "git init -q .; echo a >f; git add f; GIT_EDITOR=nano git commit",
    expected: "screen",
    env: GIT,
    needs: ["git", "nano"],
  },
  {
    name: "git mergetool",
    command:
      "git init -q -b m . && echo a >f && git add f && git commit -qm a && git checkout -qb o && echo b >f && git commit -qam b && git checkout -q m && echo c >f && git commit -qam c; git merge o >/dev/null; git mergetool -t vimdiff",
    expected: "screen",
    env: GIT,
    needs: ["git", "vimdiff"],
  },
  { name: "vimdiff", command: "echo a >a; echo b >b; vimdiff a b", expected: "screen", needs: ["vimdiff"] },
  { name: "cfdisk", command: "truncate -s 10M d; cfdisk d", expected: "screen", needs: ["cfdisk"] },
  {
    name: "visudo",
    command: "cp /dev/null s; chmod 440 s; EDITOR=vim visudo -f s",
    expected: "screen",
    needs: ["visudo", "vim"],
  },
  { name: "ipython", command: "ipython --no-banner", expected: "prompt" },
  { name: "php -a", command: "php -a", expected: "prompt" },
  { name: "php fgets", command: "php -r 'echo \"Name: \"; fgets(STDIN);'", expected: "line" },
  { name: "perl <STDIN>", command: "perl -e '$|=1; print \"Name: \"; <STDIN>'", expected: "line" },
  { name: "ruby gets", command: "ruby -e 'print \"Name: \"; gets'", expected: "line" },
  { name: "zip -e", command: "echo a >a; zip -e a.zip a", expected: "secret", needs: ["zip"] },
  {
    name: "unzip over a file",
    command: "echo a >a; zip -q a.zip a; unzip a.zip",
    expected: "line",
    needs: ["zip", "unzip"],
  },
  {
    name: "patch of a file that is not there",
    command: "printf -- '--- nope\\n+++ nope\\n@@ -1 +1 @@\\n-a\\n+b\\n' >p; patch -i p",
    expected: "line",
    needs: ["patch"],
  },
  { name: "more", command: "seq 999 >f; more f", expected: "prompt", needs: ["more"] },
  { name: "busybox sh", command: "busybox sh", expected: "prompt" },
  { name: "busybox vi", command: "busybox vi f", expected: "screen" },
  { name: "busybox more", command: "seq 999 >f; busybox more f", expected: "prompt", needs: ["busybox"] },
  { name: "busybox less", command: "seq 999 >f; busybox less f", expected: "prompt", needs: ["busybox"] },
  { name: "find -ok", command: "touch a; find . -name a -ok rm {} \\;", expected: "line", needs: ["find"] },
  { name: "xargs -p", command: "echo a | xargs -p echo", expected: "line", needs: ["xargs"] },
  { name: "mv -i", command: "touch a b; mv -i a b", expected: "line", needs: [] },
  { name: "read -n1", command: "read -n1 -p 'Press a key' x", expected: "prompt", needs: [] },
  { name: "read -t", command: "read -t 60 -p 'Continue? ' x", expected: "line", needs: [] },
  { name: "python3 -m asyncio", command: "python3 -m asyncio", expected: "prompt" },
  {
    name: "a question with its default behind the cursor's mark",
    command:
      "node -e \"process.stdin.setRawMode(true).on('data', () => {}); process.stdout.write('? Project name: › vite-project'); setTimeout(() => {}, 60000)\"",
    expected: "prompt",
    needs: ["node"],
  },
  {
    name: "a shell's prompt while something runs in the background",
    command:
      'python3 -c \'import os, select, subprocess, tty; tty.setraw(0); p = subprocess.Popen(["sh", "-c", "while :; do :; done"]); print("me@here ~# ", end="", flush=True); r, w = os.pipe(); select.select([0, r], [], [])\'',
    expected: "prompt",
  },
  {
    name: "python3 curses that looks up each 0.7 s",
    command:
      "python3 -c 'import curses; w = curses.initscr(); w.timeout(700); w.addstr(\"pick\"); [w.getch() for _ in range(99)]'",
    expected: "screen",
  },
  {
    name: "python3 curses",
    command: "python3 -c 'import curses; curses.wrapper(lambda s: (s.addstr(\"pick\"), s.getch()))'",
    expected: "screen",
  },
  { name: "git clean -i", command: "git init -q .; touch a; git clean -i", expected: "line", env: GIT, needs: ["git"] },
  {
    name: "git checkout -p",
    command: `${REPOSITORY}echo more >>f; git checkout -p`,
    expected: "line",
    env: GIT,
    needs: ["git"],
  },
  { name: "python3 cmd", command: "python3 -c 'import cmd; cmd.Cmd().cmdloop()'", expected: "prompt" },
  { name: "read -e", command: 'read -e -p "name: " x', expected: "prompt", needs: [] },
  { name: "openssl passwd", command: "openssl passwd", expected: "secret" },
  { name: "perl -de0", command: "perl -de0", expected: "line" },
  { name: "tee", command: "tee f", expected: "line" },
  { name: "awk", command: "awk '{ print }'", expected: "line" },
  {
    name: "node readSync",
    command: 'node -e \'process.stdout.write("Name: "); require("fs").readSync(0, Buffer.alloc(9))\'',
    expected: "line",
  },
];
