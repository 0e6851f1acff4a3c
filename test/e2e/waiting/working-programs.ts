/** Programs on a terminal that do not wait for a person: the other half of the table of docs/waiting.md. */
import { fileURLToPath } from "node:url";
import type { TableRow } from "./programs.ts";

/** Where the project's own development servers and watchers are. */
const MODULES = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** Programs that work, serve, or watch. */
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
  {
    name: "a viewer that draws each 1.2 s",
    command:
      "python3 -c 'import curses; w = curses.initscr(); w.timeout(1200); [(w.addstr(0, 0, str(n)), w.getch()) for n in range(99)]'",
    expected: "keys",
  },
  {
    name: "a viewer that draws each 1.8 s and looks up more often",
    command:
      "python3 -c 'import curses; w = curses.initscr(); w.timeout(300); [(n % 6 or w.addstr(0, 0, str(n)), w.getch()) for n in range(99)]'",
    expected: "keys",
  },
  {
    name: "a viewer that hides the cursor, polls, and ends a row as a question does",
    command:
      "python3 -c 'import curses; w = curses.initscr(); curses.curs_set(0); w.timeout(100); [(n % 18 or w.addstr(0, 0, str(n) + \"  LOAD (2.0)\"), w.getch()) for n in range(99)]'",
    expected: "keys",
  },
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
  {
    name: "a viewer that hides the cursor and takes keys",
    command:
      "node -e \"process.stdin.setRawMode(true).on('data', () => {}); process.stdout.write('\\x1b[?25lPASS  a.test.js\\nWaiting for changes, press h for help\\n')\"",
    expected: "keys",
    needs: ["node"],
  },
  {
    name: "vite",
    command: `echo '<h1>hi</h1>' >index.html; node ${MODULES}/vite/bin/vite.js --port 0 --host 127.0.0.1`,
    expected: "keys",
    startsSlowly: true,
    needs: ["node"],
  },
  {
    name: "vitest that watches",
    command: `ln -s ${MODULES} .; echo 'import { it } from "vitest"; it("holds", () => {});' >a.test.js; node ${MODULES}/vitest/vitest.mjs --watch`,
    expected: "keys",
    startsSlowly: true,
    needs: ["node"],
  },
  {
    name: "tsc --watch",
    command: `echo 'export const a = 1;' >a.ts; node ${MODULES}/typescript/bin/tsc --watch --noEmit a.ts`,
    expected: "no",
    needs: ["node"],
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
  { name: "tail -F", command: "seq 9 >f; tail -F f", expected: "no", needs: ["tail"] },
  { name: "strace -p", command: "sleep 30 & strace -p $!", expected: "no", needs: ["strace"] },
  { name: "vmstat", command: "vmstat 1", expected: "no" },
  {
    name: "bars of several downloads",
    command:
      'python3 -c \'import time\nprint("a: Waiting\\nb: Waiting")\nfor i in range(40): print("\\x1b[2A\\x1b[Ka: %d%%\\n\\x1b[Kb: Pulling" % i, flush=True); time.sleep(2)\'',
    expected: "no",
  },
  {
    name: "a slow bar that ends in a prompt's sign",
    command:
      'python3 -c \'import time\nfor i in range(9): print("\\rfetching %d%%" % i, end="", flush=True); time.sleep(4)\'',
    expected: "no",
  },
  {
    name: "pip and an index that does not answer",
    command:
      "python3 -c \"import socket, time; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], file=open('port', 'w'), flush=True); c = s.accept(); time.sleep(30)\" & until [ -s port ]; do sleep .05; done; pip3 download --retries 0 -i http://127.0.0.1:$(cat port)/ nothing-x",
    expected: "no",
    needs: ["python3", "pip3"],
  },
  {
    name: "cargo build",
    command:
      "cargo init -q --name x . && printf 'fn main() { std::thread::sleep(std::time::Duration::from_secs(30)) }' >build.rs && CARGO_TARGET_DIR=t cargo build",
    expected: "no",
  },
  { name: "node --watch", command: "echo 'console.log(1)' >a.js; node --watch a.js", expected: "no" },
  { name: "busybox nc -l", command: "busybox nc -l -p 0 127.0.0.1", expected: "no" },
  { name: "wait", command: "sleep 30 & wait", expected: "no", needs: [] },
  {
    name: "what looks like a prompt and an event",
    command: 'python3 -c \'import threading; print("Ready? ", end="", flush=True); threading.Event().wait()\'',
    expected: "no",
  },
  {
    name: "what looks like a prompt and a fifo",
    command: "mkfifo p; printf 'Password: '; read x <p",
    expected: "no",
    needs: [],
  },
];
