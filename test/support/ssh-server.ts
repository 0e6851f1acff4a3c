/**
 * A real sshd on the loopback that asks for a password, without a trace on the machine: it has namespaces of its own, in
 * which the lists of users are the test's, and is gone with them. What is done over it is the test's.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "./patience.ts";
import { freePort } from "./ports.ts";
import { scratchFolder } from "./scratch.ts";

/** Who may come in. */
export const VISITOR = { name: "visitor", password: "open sesame" } as const;

/** `VISITOR.password` as `crypt(3)` keeps it. */
const PASSWORD_HASH =
  "$6$loopback$kkZXx2HbVINfBu18JfwVcTxcTnx.sz4BJMh0UtcuB47XtY9AbTbuR8kCsqZvmM6Bo5LXVZPGh320/A37NhdUU/";

/** An id without rights, for the visitor and for the daemon's own unprivileged part. */
const NOBODY = 65_534;

/** Where a package puts it; `sshd` refuses to start by a relative name. */
const DAEMON = ["/usr/sbin/sshd", "/usr/bin/sshd", "/usr/local/sbin/sshd"].find((path) => existsSync(path));

/** Namespaces for mounts and processes: the first process in them takes all others along. */
const OWN_NAMESPACES = ["-m", "-p", "-f", "--kill-child"];

/** Why there can be no server on this machine; `undefined` when there can. */
export function absenceOfServer(): string | undefined {
  if (process.platform !== "linux") return "no Linux";
  if (DAEMON === undefined) return "sshd is not installed";
  if (spawnSync("ssh", ["-V"]).status !== 0) return "ssh is not installed";
  // What the daemon does: mounts, and becoming another user.
  const attempt = `mount -t tmpfs tmpfs /run && exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups true`;
  const probe = spawnSync("unshare", [...OWN_NAMESPACES, "sh", "-c", attempt]);
  if (process.getuid?.() !== 0 || probe.status !== 0) return "no right to mount and to change users";
  return undefined;
}

/** A server that listens. */
export interface SshServer {
  readonly port: number;
  /** A folder of the test's, and the visitor's home in it. */
  readonly folder: string;
  readonly home: string;
}

/** Starts a server, which is ended when the test is. The visitor's shell is bash with the prompt `remote> `. */
export async function startSshServer(): Promise<SshServer> {
  const folder = scratchFolder();
  const home = join(folder, "home");
  const port = await freePort();
  mkdirSync(home);
  writeFileSync(join(home, ".bash_profile"), "PS1='remote> '\n");
  chownSync(home, NOBODY, NOBODY);
  writeUsers(folder, home);
  const key = join(folder, "host-key");
  spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  const config = join(folder, "config");
  writeFileSync(config, configuration(port, key));
  const begin = `mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/shadow" /etc/shadow &&
    mount -t tmpfs tmpfs /run && mkdir -m 755 /run/sshd && exec "$2" -D -e -f "$3"`;
  const words = [...OWN_NAMESPACES, "sh", "-c", begin, "sh", folder, DAEMON ?? "", config];
  const server = spawn("unshare", words, { stdio: ["ignore", "ignore", "pipe"] });
  const end = once(server, "exit");
  onTestFinished(async () => {
    // Its child, so that it can reap: what loses its parent would stay a zombie where process 1 reaps nothing.
    for (const pid of childrenOf(server.pid ?? 0)) process.kill(pid, "SIGKILL");
    await end;
  });
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await until("sshd to listen", () => {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${log}`);
    return log.includes("Server listening");
  });
  return { port, folder, home };
}

/** Lists with three users: the daemon looks up root, its own user and the visitor. */
function writeUsers(folder: string, home: string): void {
  const users = [
    "root:x:0:0::/root:/bin/sh",
    `sshd:x:${NOBODY - 1}:${NOBODY}::/run/sshd:/bin/false`,
    `${VISITOR.name}:x:${NOBODY}:${NOBODY}::${home}:/bin/bash`,
  ];
  const passwords = ["root:*:1::::::", "sshd:*:1::::::", `${VISITOR.name}:${PASSWORD_HASH}:20000::::::`];
  writeFileSync(join(folder, "passwd"), `${users.join("\n")}\n`);
  writeFileSync(join(folder, "shadow"), `${passwords.join("\n")}\n`);
  chmodSync(join(folder, "shadow"), 0o600);
}

function configuration(port: number, key: string): string {
  const lines = [
    `Port ${port}`,
    "ListenAddress 127.0.0.1",
    `HostKey ${key}`,
    "PidFile none",
    "UsePAM no",
    "PasswordAuthentication yes",
    "KbdInteractiveAuthentication no",
    "PubkeyAuthentication no",
    "PrintMotd no",
    "PrintLastLog no",
  ];
  return `${lines.join("\n")}\n`;
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return []; // It has ended.
  }
}
