/**
 * Programs on a terminal, and whether each waits for a person: the table of docs/waiting.md. Who may look at them, and what
 * becomes of the answer, is the tests'.
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

/** Programs that wait for a person. */
export const WAITING: readonly TableRow[] = [
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
];

/** Programs that do not. */
export const NOT_WAITING: readonly TableRow[] = [
  { name: "expect", command: "expect -c 'spawn -noecho cat; interact'", expected: "keys" },
  { name: "tail -f", command: "seq 9 >f; tail -f f", expected: "no", needs: ["tail"] },
  { name: "sleep", command: "sleep 30", expected: "no" },
  { name: "a busy loop", command: "while :; do :; done", expected: "no", needs: [] },
  { name: "half a line and sleep", command: 'printf "Compiling... "; sleep 30', expected: "no", needs: [] },
  {
    name: "what looks like a prompt and sleep",
    command: 'printf "Downloading: "; sleep 30',
    expected: "no",
    needs: [],
  },
  {
    name: "make -j2",
    command: "printf 'all: a b c d e f\\n%%:\\n\\t@sleep 1; echo built $@\\n' >Makefile; make -j2",
    expected: "no",
    needs: ["make"],
  },
  { name: "watch", command: "watch -n2 date", expected: "no" },
  { name: "top", command: "top", expected: "keys" },
  { name: "htop", command: "htop", expected: "keys" },
  { name: "less +F", command: "seq 99 >f; less +F f", expected: "no", needs: ["less"] },
  { name: "a server in python", command: "python3 -m http.server 0 --bind 127.0.0.1", expected: "no" },
  {
    name: "a server that takes keys",
    command:
      "node -e \"process.stdin.setRawMode(true).on('data', () => {}); require('net').createServer().listen(0, '127.0.0.1', () => console.log('press h for help'))\"",
    expected: "keys",
  },
  {
    name: "a watcher with a timer that takes keys",
    command:
      "node -e \"process.stdin.setRawMode(true).on('data', () => {}); setInterval(() => {}, 300); console.log('watching')\"",
    expected: "keys",
  },
  { name: "script sleep", command: 'script -q -c "sleep 30" /dev/null', expected: "keys" },
  { name: "nc -l", command: "nc -l 127.0.0.1 0", expected: "no" },
  { name: "a pipe's reader", command: "sleep 30 | cat", expected: "no", needs: [] },
  { name: "a fifo's reader", command: "mkfifo ff; cat ff", expected: "no", needs: [] },
  { name: "flock", command: "flock l sleep 30 & sleep .2; flock l true", expected: "no", needs: ["flock"] },
  { name: "gcc from a pipe", command: "sleep 30 | gcc -xc -", expected: "no", needs: ["gcc"] },
  { name: "python3 sleeping", command: 'python3 -c "import time; time.sleep(30)"', expected: "no" },
  { name: "a timer of node", command: 'node -e "setTimeout(() => {}, 30000)"', expected: "no" },
  { name: "dd", command: "dd if=/dev/zero of=/dev/null status=progress", expected: "no" },
  { name: "tar into gzip", command: "tar c /usr/lib 2>/dev/null | gzip >t.gz", expected: "no", needs: ["tar", "gzip"] },
  { name: "a reader in the background", command: "cat & wait", expected: "no", needs: [] },
  {
    name: "socat with a terminal of its own",
    command: 'socat - EXEC:"sleep 30",pty,setsid,ctty',
    expected: "keys",
  },
  {
    name: "a download bar of curl",
    command:
      "python3 -c \"import socket, time; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], file=open('port', 'w'), flush=True); c, _ = s.accept(); c.recv(9999); c.send(b'HTTP/1.0 200 OK\\r\\nContent-Length: 99999\\r\\n\\r\\nx'); time.sleep(30)\" & until [ -s port ]; do sleep .05; done; curl -o o http://127.0.0.1:$(cat port)/",
    expected: "no",
    needs: ["python3", "curl"],
  },
];
