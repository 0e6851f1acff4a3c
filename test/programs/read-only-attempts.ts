/**
 * A host whose read-only commands try to change something, for tests that do so as several users.
 *
 *   read-only-attempts <folder that everyone can write to>
 *
 * Prints one line of JSON: which attempts succeeded in read-only commands and which without, and what is to be seen from
 * here. Each attempt prints `out` where it succeeded.
 */
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { PtySession, Shell } from "@pi-bash/natives";

/** What became of the attempts. */
export interface ReadOnlyAttempts {
  /** Names of those that succeeded in read-only commands, with what they printed. */
  readonly succeeded: Readonly<Record<string, string>>;
  /** Names of those that succeeded without. */
  readonly controls: readonly string[];
  /** Everything that was attempted. */
  readonly names: readonly string[];
  /** What arrived at sockets and the terminal while the read-only ones were made. */
  readonly arrived: readonly string[];
  /** The process outside lived through the read-only ones. */
  readonly outsiderLived: boolean;
  readonly degraded: readonly string[];
}

const [, , folder = ""] = process.argv;
const outsider = spawn("sleep", ["600"], { stdio: "ignore" });
await once(outsider, "spawn");
const arrived: string[] = [];
const tcp = createServer((socket) => {
  arrived.push("tcp");
  socket.destroy();
}).listen(0, "127.0.0.1");
await once(tcp, "listening");
const { port } = tcp.address() as AddressInfo;
const udp = createSocket("udp4").on("message", () => arrived.push("udp"));
udp.bind(port, "127.0.0.1");
await once(udp, "listening");
const path = join(folder, "socket");
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
const { session: pty, name: terminal, ended: ptyEnded } = await openTerminal();

mkdirSync(join(folder, "own"));
writeFileSync(join(folder, "own", "file"), "kept\n");

const perl = (code: string): string => `perl -e '${code}; print "out\\n"'`;
const node = (code: string): string => `${process.execPath} -e '${code}'`;
/** `ioctl` and `syscall` of a number on a file that was opened for reading only. */
const FILE = `open(F, "<", "file") or die`;
const X64 = process.arch === "x64";

/** By what each would reach. Those of a number are skipped on other processors. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  write: "echo x > file && echo out",
  "write by a program of the user's": node(`require("fs").writeFileSync("file", "x"); console.log("out")`),
  "empty a file that is opened for reading": perl(`use Fcntl; sysopen(F, "file", O_RDONLY|O_TRUNC) or die`),
  "truncate a file": perl(`truncate("file", 1) or die`),
  "remove a file": "rm file && echo out",
  "rename a file": "mv file other && echo out",
  "link a file": "ln file linked && echo out",
  "make a folder": "mkdir made && echo out",
  "make a FIFO": "mkfifo fifo && echo out",
  "change a mode": "chmod 711 file && echo out",
  "change a mode by descriptor": perl(`${FILE}; chmod(0700, *F) or die`),
  "change times": "touch -d @1 file && echo out",
  "change an owner": "chown $(id -u) file && echo out",
  "set an attribute": perl(
    `require "syscall.ph" if 0; my ($p, $n, $v) = ("file", "user.x", "1"); syscall(${X64 ? 188 : 5}, $p, $n, $v, 1, 0) == 0 or die`,
  ),
  "set flags of a file": perl(
    `${FILE}; my $f = pack("L!", 0); ioctl(F, 0x80086601, $f) or die; ioctl(F, 0x40086602, $f) or die`,
  ),
  "write to shared memory of files": "echo x > /dev/shm/pi-bash-attempt && rm /dev/shm/pi-bash-attempt && echo out",
  "make shared memory": perl(
    `use IPC::SysV; my $i = shmget(0, 64, 0600 | 01000); defined($i) or die; shmctl($i, 0, 0)`,
  ),
  "make a message queue": perl(`use IPC::SysV; my $i = msgget(0, 0600 | 01000); defined($i) or die; msgctl($i, 0, 0)`),
  "map a file to write it": perl(`open(F, "+<", "file") or die`),
  "run a script in memory that writes": X64
    ? perl(
        `my $n = "x"; my $fd = syscall(319, $n, 0); $fd >= 0 or die; open(M, ">&=", $fd) or die; syswrite(M, "#!/bin/sh\\necho x > file\\n"); system("/proc/self/fd/$fd") == 0 or system("sh /proc/$$/fd/$fd") == 0 or die`,
      )
    : "echo x > file && echo out",
  "signal a process": `kill -CONT ${outsider.pid} && echo out`,
  "signal a process by its thread": X64
    ? perl(`syscall(234, ${outsider.pid}, ${outsider.pid}, 18) == 0 or die`)
    : `kill -CONT ${outsider.pid} && echo out`,
  "signal a process by its descriptor": perl(
    `my $p = syscall(434, ${outsider.pid}, 0); $p >= 0 or die; syscall(424, $p, 18, 0, 0) == 0 or die`,
  ),
  "have a terminal signal a process": perl(`use Fcntl; pipe(R, W); fcntl(R, F_SETOWN, ${outsider.pid}) or die`),
  "trace a process": X64
    ? perl(`syscall(101, 0x4206, ${outsider.pid}, 0, 0) == 0 or die`)
    : `ls /proc/${outsider.pid}/root/ && echo out`,
  "read the environment of a process": `cat /proc/${outsider.pid}/environ > /dev/null && echo out`,
  "look through the root of a process": `ls /proc/${outsider.pid}/root/ > /dev/null && echo out`,
  "change the priority of a process": `renice -n 19 -p ${outsider.pid} > /dev/null && echo out`,
  "change a limit of a process": `prlimit --pid ${outsider.pid} --core=0 && echo out`,
  "change the processors of a process": `taskset -p 1 ${outsider.pid} > /dev/null && echo out`,
  "connect by TCP": `exec 3<>/dev/tcp/127.0.0.1/${port} && echo out`,
  "send by UDP": `echo x > /dev/udp/127.0.0.1/${port} && echo out`,
  "connect to a Unix socket": node(`require("net").connect("${path}", () => console.log("out"))`),
  "connect to an abstract socket": node(`require("net").connect("\\0${path}", () => console.log("out"))`),
  listen: node(`require("net").createServer().listen(0, "127.0.0.1", () => { console.log("out"); process.exit() })`),
  "write to another terminal": `echo x > ${terminal} && echo out`,
  "read another terminal": `exec 3< ${terminal} && echo out`,
  "make a terminal": perl(`open(T, "+<", "/dev/ptmx") or die`),
  "type into a terminal": perl(
    `open(T, "<", "${terminal}") and ioctl(T, 0x5412, my $c = "x") or ioctl(STDIN, 0x5412, my $d = "x") or $!{ENOTTY} or die`,
  ),
  "lease a file": perl(`use Fcntl; ${FILE}; fcntl(F, 1024, 1) or die; fcntl(F, 1024, 2)`),
  "make a namespace": "unshare -Ur true && echo out",
  "add a key": X64
    ? perl(`my ($t, $d, $p) = ("user", "pi", "x"); syscall(248, $t, $d, $p, 1, -2) > 0 or die`)
    : "echo x > file && echo out",
};

const shell = new Shell({ cwd: join(folder, "own") });
const succeeded: Record<string, string> = {};
const degraded = new Set<string>();

async function attempt(command: string, readOnly: boolean): Promise<string> {
  let output = "";
  const result = await shell.run({ command: `(${command}) 2>&1`, readOnly, timeoutMs: 20_000 }, (_, chunk) => {
    output += chunk;
  });
  for (const name of result.readOnly?.degraded ?? []) degraded.add(name);
  if (readOnly && result.readOnly === undefined) throw new Error(`\`${command}\` was not confined`);
  return output;
}

const isOut = (text: string): boolean => text.split("\n").includes("out");

for (const [name, command] of Object.entries(ATTEMPTS)) {
  const printed = await attempt(command, true);
  if (isOut(printed)) succeeded[name] = printed;
}
// A datagram that was sent is here by now.
await new Promise((resolve) => setTimeout(resolve, 50));
const seen = [...arrived];
const outsiderLived = outsider.exitCode === null && outsider.signalCode === null;

const controls: string[] = [];
for (const [name, command] of Object.entries(ATTEMPTS)) {
  writeFileSync(join(folder, "own", "file"), "kept\n");
  if (isOut(await attempt(command, false))) controls.push(name);
}
await shell.close();
pty.kill();
await ptyEnded;
outsider.kill("SIGKILL");
for (const server of [tcp, unix, abstract]) server.close();
udp.close();
const found: ReadOnlyAttempts = {
  succeeded,
  controls,
  names: Object.keys(ATTEMPTS),
  arrived: seen,
  outsiderLived,
  degraded: [...degraded],
};
process.stdout.write(`${JSON.stringify(found)}\n`);

/** A terminal of the same user, with a program on it. */
async function openTerminal() {
  const session = new PtySession();
  let output = "";
  let isReady: (name: string) => void = () => undefined;
  const named = new Promise<string>((resolve) => {
    isReady = resolve;
  });
  const ended = session.start({ command: "printf '<%s>' $(tty); exec sleep 600" }, (_, chunk) => {
    output += chunk;
    const [, name] = /<(\S+)>/.exec(output) ?? [];
    if (name !== undefined) isReady(name);
  });
  return { session, name: await named, ended };
}
