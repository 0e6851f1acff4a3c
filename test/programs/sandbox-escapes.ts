/**
 * A host whose sessions try to get out of their sandbox, or out of read-only commands, for tests that do so as several users.
 *
 *   sandbox-escapes <backend, read-only, or none> <workspace> <outside> <path of pi-supervisor> [degraded]
 *
 * Prints `started` and at the end one line of JSON: what each attempt printed, what is to be seen from here, and what
 * results said of the sandbox. An executor runs the attempts, as it runs a model's commands; a session itself where they are
 * made in read-only commands.
 */

import { spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { SandboxOutcome } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";
import { PtySession, Shell } from "@pi-bash/natives";

/** What became of the attempts. */
export interface Escapes {
  /** What each command printed, by its name. */
  readonly printed: Readonly<Record<string, string>>;
  /** The status of each command. */
  readonly statuses: Readonly<Record<string, number | undefined>>;
  /** What each result says of its sandbox. */
  readonly sandboxes: Readonly<Record<string, SandboxOutcome | undefined>>;
  /** Text of the file outside, at the end. */
  readonly canary: string;
  /** Names of files that came into being where none may. */
  readonly made: readonly string[];
  /** Connections, datagrams and terminal output that arrived. */
  readonly arrived: readonly string[];
}

const [, , backend = "none", workspace = "", outside = "", supervisor = "", degraded] = process.argv;

/** What a command of the workspace must find read-only, and what it may find nowhere. */
const CANARY = "unchanged\n";
const FORBIDDEN = [
  join(outside, "made"),
  join(outside, "through-link"),
  join(outside, "by-dots"),
  join(workspace, ".git/hooks/pre-commit"),
  join(workspace, ".mcp.json/x"),
  join(workspace, ".vscode/tasks.json"),
  join(workspace, "set-id"),
];

/** Attempts by commands that every system has; each prints `out` where it succeeded. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  "write outside": `echo x > ${outside}/made && echo out; echo x >> ${outside}/canary && echo out`,
  "change a file outside": `chmod 777 ${outside}/canary && echo out; touch -d @1 ${outside}/canary && echo out; mv ${outside}/canary ${outside}/gone && echo out`,
  "follow a link": `echo x > link/through-link && echo out; ln -s ${outside} second; echo x > second/through-link && echo out`,
  "link a file": `ln ${outside}/canary linked && echo x >> linked && echo out`,
  "race by dots": `mkdir -p a/b; (for i in {1..200}; do mv a/b c 2>/dev/null; mv c a/b 2>/dev/null; done) & for i in {1..200}; do (cd a/b 2>/dev/null && echo x > ../../..${outside}/by-dots && echo out) 2>/dev/null; done; wait; echo x > $(pwd)/../../../../../../..${outside}/by-dots && echo out`,
  "make a missing hook":
    "echo x > .git/hooks/pre-commit && echo out; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit && echo out",
  "move the folder of a hook away":
    "mv .git .old && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && echo out; rm -r .git/hooks && echo out",
  "change the configuration of git":
    "echo x >> .git/config && echo out; mv .git/config x && echo out; rm -f .git/config && echo out",
  "make what editors read":
    "mkdir -p .vscode && echo x > .vscode/tasks.json && echo out; rmdir .vscode && mkdir .vscode && echo out; rmdir .mcp.json && echo out",
  "mount again": `mount -o remount,rw,bind / && echo out; mount -t tmpfs none /mnt && echo out; umount /proc && echo out`,
  "nest namespaces": "unshare -Ur true && echo out; unshare -n true && echo out",
  "change the kernel": "echo 1 > /proc/sys/vm/drop_caches && echo out; echo x > /proc/sys/kernel/hostname && echo out",
  "look through proc": `ls /proc/${process.pid}/root/ > /dev/null && echo out; cat /proc/${process.pid}/environ > /dev/null && echo out; for one in /proc/[0-9]*/root; do echo x > $one${outside}/made && echo out; done`,
  "kill the host": `kill -0 ${process.pid} && echo out; kill -9 ${process.pid} && echo out`,
  "write through descriptors": `for fd in /proc/self/fd/* /proc/$$/fd/*; do case $(readlink $fd) in ${outside}*) echo out;; esac; done; for fd in {3..9}; do { echo x >&$fd; } 2>/dev/null && echo out; done`,
  "make a set-id program":
    "cp /bin/true set-id && chmod u+s set-id && echo out; status=$?; rm -f set-id; (exit $status)",
};

const printed: Record<string, string> = {};
const statuses: Record<string, number | undefined> = {};
const sandboxes: Record<string, SandboxOutcome | undefined> = {};
const arrived: string[] = [];

mkdirSync(join(workspace, ".git"));
writeFileSync(join(workspace, ".git/config"), "[core]\n");
writeFileSync(join(outside, "canary"), CANARY);
symlinkSync(outside, join(workspace, "link"));

const tcp = createServer((socket) => {
  arrived.push("tcp");
  socket.destroy();
}).listen(0, "127.0.0.1");
await once(tcp, "listening");
const { port } = tcp.address() as AddressInfo;
const udp = createSocket("udp4").on("message", () => arrived.push("udp"));
udp.bind(port, "127.0.0.1");
await once(udp, "listening");
const path = join(outside, "socket");
const unix = createServer((socket) => {
  arrived.push("unix");
  socket.destroy();
}).listen(path);
await once(unix, "listening");
const abstract = createServer((socket) => {
  arrived.push("abstract");
  socket.destroy();
}).listen(`\0${path}`);
await once(abstract, "listening");

const programs: { session: PtySession; ended: Promise<unknown>; hasEnded: () => boolean }[] = [];
const terminal = await onTerminal("stty -echo; printf '<%s>' $(tty); exec sleep 60", /<(\S+)>/);
const buses = await openBuses(join(outside, "bus"));

/** Attempts at a terminal of the same user that the host opened, on which a line waits to be read. */
const TERMINALS: Readonly<Record<string, string>> = {
  "write to another terminal": `printf '\\033]52;c;eA==\\007' > ${terminal.found} && echo out`,
  "write to another terminal by a program": `echo x | tee ${terminal.found} > /dev/null && echo out; echo x | dd of=${terminal.found} conv=notrunc status=none && echo out`,
  "read another terminal": `timeout 2 head -n 1 ${terminal.found} | grep typed && echo out; head -n 1 ${terminal.found}`,
};

/** Attempts at whatever terminals and other devices there are. Own descriptors are pipes: a terminal among them is another's. */
const EVERY_DEVICE = [
  "timeout 10 bash -c '",
  "for one in /dev/* /dev/pts/[0-9]* /dev/input/* /proc/1/fd/[012]; do",
  '  case "$one" in /dev/null|/dev/zero|/dev/full|/dev/*random|/dev/tty|/dev/ptmx|/dev/fd|/dev/std*) continue;; esac',
  '  [ -e "$one" ] && [ ! -d "$one" ] || continue',
  '  { : < "$one"; } && echo out; { : >> "$one"; } && echo out',
  "done",
  'ls -l /proc/[0-9]*/fd/* | sed -n "s#.* \\(/proc/[^ ]*\\) -> /dev/\\(pts/\\|tty.\\).*#\\1#p" | while read -r one; do { : > "$one"; } && echo out; done',
  "{ : < /dev/tty; } && echo out",
  "true' 2>/dev/null; true",
].join("\n");

/** Attempts at a message bus, by the programs for that which there are: by its path, its abstract name, the variables. */
const BUS_CALLS = (["session", "system"] as const).flatMap((which) => [
  `dbus-send --${which} --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames && echo out`,
  `gdbus call --${which} --dest org.freedesktop.DBus --object-path / --method org.freedesktop.DBus.ListNames && echo out`,
  `busctl --${which === "session" ? "user" : which} --timeout 2 list && echo out`,
]);
const BUS: Readonly<Record<string, string>> = Object.fromEntries(
  buses.map((address) => {
    const variables = `export DBUS_SESSION_BUS_ADDRESS='${address}' DBUS_SYSTEM_BUS_ADDRESS='${address}'`;
    return [`call a bus at ${address.split("=")[0]}`, [variables, ...BUS_CALLS, "false"].join("\n")];
  }),
);

/** Attempts by a program that speaks to sockets, and by one that can type into a terminal (`TIOCSTI`). */
const node = (code: string): string => `${process.execPath} -e '${code}'`;
const SOCKETS: Readonly<Record<string, string>> = {
  "connect to a Unix socket": node(`require("net").connect("${path}", () => console.log("out"))`),
  "connect to an abstract socket": node(`require("net").connect("\\0${path}", () => console.log("out"))`),
  "connect by TCP": node(`require("net").connect(${port}, "127.0.0.1", () => console.log("out"))`),
  "send by UDP": `echo x > /dev/udp/127.0.0.1/${port}; echo x > /dev/udp/192.0.2.1/9 && echo out`,
  "type into the terminal": `perl -e 'ioctl(STDIN, 0x5412, $c = "x") or die "TIOCSTI: $!\n"; print "out\n"'`,
};

/** What was planted in a workspace before, to run outside of the sandbox later. */
const PLANTS: Readonly<Record<string, string>> = {
  "plant a configuration of the work tree":
    "echo x > .git/config.worktree && echo out; git config extensions.worktreeConfig true && echo out",
  "plant a bare repository":
    "mkdir objects refs && echo out; echo 'ref: x' > HEAD && echo out; echo x > config && echo out",
  "plant a common folder": "echo ../x > .git/commondir && echo out; echo x > .git/config.lock && echo out",
  "plant in the repository of a module":
    "mkdir -p .git/modules/x/hooks && echo out; echo x > .git/modules/x/config && echo out",
  "plant what tools run": `for one in .husky .devcontainer .zed .vscode .idea; do mkdir $one && echo out; done; for one in .npmrc .mcp.json .envrc Makefile; do echo x > $one && echo out; done`,
};

const isReadOnly = backend === "read-only";
const shell = isReadOnly ? new Shell({ cwd: workspace }) : undefined;
const executor = createExecutor(
  backend === "none" || isReadOnly
    ? {}
    : {
        sandboxMode: "workspace-write",
        "sandbox.backend": backend as "bubblewrap" | "landlock",
        "sandbox.allowDegraded": degraded === "degraded",
      },
  { cwd: workspace, usesSnapshot: false },
);

async function attempt(name: string, command: string): Promise<void> {
  if (shell !== undefined) return attemptReadOnly(shell, name, command);
  const result = await executor.executeBash(command, { cwd: workspace, timeoutMs: 20_000 });
  printed[name] = result.output;
  statuses[name] = result.exitCode;
  sandboxes[name] = result.sandbox;
}

/** The same in a read-only command, whose name says for some that it is the session's. */
async function attemptReadOnly(shell: Shell, name: string, command: string): Promise<void> {
  let output = "";
  const readOnly = name !== "stay a session" && name !== "go on";
  const result = await shell.run({ command, readOnly, timeoutMs: 20_000 }, (_error, chunk) => {
    output += chunk;
  });
  if (readOnly && result.readOnly === undefined) throw new Error(`\`${name}\` was not confined`);
  printed[name] = output;
  statuses[name] = result.exitCode;
}

process.stdout.write("started\n");
try {
  await executor.executeBash("true");
} catch (error) {
  // The machine does not let this user have it: the test that started this says so and is skipped.
  const reason = (error as { code?: string }).code === "PI_SANDBOX_UNAVAILABLE" ? String(error) : undefined;
  if (reason === undefined) throw error;
  process.stdout.write(`${JSON.stringify({ unavailable: reason })}\n`);
  process.exit(0);
}
const everywhere = { ...TERMINALS, ...BUS, ...SOCKETS };
const inside = { ...ATTEMPTS, ...everywhere, "look for any device": EVERY_DEVICE };
const attempts = backend === "none" ? everywhere : isReadOnly ? { ...inside, ...PLANTS } : inside;
for (const [name, command] of Object.entries(attempts)) {
  if (name in TERMINALS) terminal.session.write("typed\n");
  await attempt(name, command);
}
// The same attempts that prove a sandbox when it is opened, here from below a command of a session.
/** Behind the name, which may have blanks; field 22 of proc_pid_stat(5). */
const startTime = readFileSync("/proc/self/stat", "utf8")
  .replace(/^.*\) /s, "")
  .split(" ")[19];
const host = `${process.pid}:${startTime}`;
const probe = `PATH=$PATH ${supervisor} --probe-${isReadOnly ? "read-only" : "sandbox"} ${outside} 127.0.0.1:${port} ${path} ${host} ${terminal.found}`;
await attempt("probe", probe);
await attempt("write inside", "echo inside > kept && cat kept && mktemp > /dev/null && echo temporary");
await attempt("stay a session", "value=5; cd /; exec 3>&-; true");
await attempt("end the shell", "kill -9 $$");
await attempt("go on", "echo $value");
await executor.dispose();
await shell?.close();
for (const { session, hasEnded } of programs) if (!hasEnded()) session.kill();
await Promise.all(programs.map(({ ended }) => ended));
if (terminal.output().includes("\u001b]52")) arrived.push("terminal");
const canary = existsSync(join(outside, "canary")) ? readFileSync(join(outside, "canary"), "utf8") : "";
const made = FORBIDDEN.filter((file) => existsSync(file));
for (const server of [tcp, unix, abstract]) server.close();
udp.close();
const escapes: Escapes = { printed, statuses, sandboxes, canary, made, arrived };
process.stdout.write(`${JSON.stringify(escapes)}\n`);

/** A program on a terminal of its own, which ends with this host; ready when it has printed what `pattern` finds. */
async function onTerminal(command: string, pattern: RegExp) {
  const session = new PtySession();
  let output = "";
  let isReady: (found: string) => void = () => undefined;
  const found = new Promise<string>((resolve) => {
    isReady = resolve;
  });
  const ended = session.start({ command }, (_error, chunk) => {
    output += chunk;
    const [, part] = pattern.exec(output) ?? [];
    if (part !== undefined) isReady(part);
  });
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  programs.push({ session, ended, hasEnded: () => isOver });
  const part = await Promise.race([found, ended.then(() => undefined)]);
  return { output: () => output, session, found: part };
}

/**
 * Addresses of message buses of this host, at a path and at an abstract name; none without `dbus-daemon`, which runs only
 * for a user who has an account.
 */
async function openBuses(file: string): Promise<readonly string[]> {
  if (spawnSync("dbus-daemon", ["--version"]).status !== 0) return [];
  const addresses: string[] = [];
  for (const address of [`unix:path=${file}`, `unix:abstract=${file}`]) {
    const command = `exec dbus-daemon --session --nofork --nopidfile --print-address --address=${address}`;
    const { found } = await onTerminal(command, /(guid=)/);
    if (found !== undefined) addresses.push(address);
  }
  return addresses;
}
