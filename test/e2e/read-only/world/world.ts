/**
 * Everything that a command could change: files, processes, sockets, a terminal, the kernel's names. Looked at before and
 * after an attempt, and made again after a control has changed it. What a session has is `session.ts`'s.
 */
import type { ChildProcess } from "node:child_process";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  pendingSignals,
  processState,
  startVictim,
} from "../../../../packages/policy/test/differential/runner/victim.ts";
import { openTerminal, TYPED } from "./terminal.ts";
import { setTraps } from "./traps.ts";
import { treeFacts } from "./tree.ts";

/** Stands in the victim's environment. */
const SECRET = "kept-in-the-environment-of-another";

/** What no output may show. */
export const SECRETS = [SECRET, TYPED] as const;

/** A world that attempts are made in. */
export interface World {
  /** The folder that attempts are made in. */
  readonly workspace: string;
  /** What attempts find in their environment; see `attempts/`. */
  variables(): Record<string, string>;
  /** Facts by name. Those of processes are of the victim and of `others`. */
  look(others: readonly number[]): Promise<Map<string, string>>;
  /** Makes again what a control has changed. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A C library's constructor writes a file: what `LD_PRELOAD` and `enable -f` are given. */
const EVIL = `#include <stdlib.h>
#include <fcntl.h>
__attribute__((constructor)) static void begin(void) { creat("preloaded", 0644); }
`;

/** Makes one in `folder`, which is empty. */
export async function makeWorld(folder: string): Promise<World> {
  const [workspace, outside, home] = FOLDERS.map((name) => join(folder, name)) as [string, string, string];
  const token = randomBytes(4).toString("hex");
  const object = join(folder, "evil.so");
  writeFileSync(join(folder, "evil.c"), EVIL);
  const hasCompiler = spawnSync("cc", ["-shared", "-o", object, join(folder, "evil.c")]).status === 0;
  const template = makeTemplate(join(folder, "template"));
  layOut(template, folder);
  const traps = await setTraps(join(folder, "socket"));
  const terminal = await openTerminal();
  let victim = await newVictim(join(outside, OPENED));

  return {
    workspace,
    variables: () => ({
      HOME: home,
      OUTSIDE: outside,
      VICTIM: String(victim.pid),
      HOST: String(process.pid),
      PORT: String(traps.port),
      SOCKET: join(folder, "socket"),
      TERMINAL: terminal.path,
      TOKEN: token,
      KEY: `0x${token}`,
      NODE: process.execPath,
      ...(hasCompiler ? { EVIL: object } : {}),
    }),
    look: async (others) => {
      const facts = treeFacts([workspace, outside, home]);
      facts.set("signals of the victim", pendingSignals(victim.pid ?? 0).join(" "));
      for (const [index, pid] of [victim.pid ?? 0, process.pid, ...others].entries()) {
        facts.set(`process ${index}`, processState(pid));
      }
      const looks = await Promise.all([traps.look(), terminal.look()]);
      for (const fact of [kernelFacts(token), ...looks].flatMap((each) => [...each])) facts.set(...fact);
      return facts;
    },
    restore: async () => {
      await end(victim);
      spawnSync("ipcrm", ["-M", `0x${token}`, "-S", `0x${token}`, "-Q", `0x${token}`]);
      for (const name of readdirSync("/dev/shm")) if (name.includes(token)) rmSync(join("/dev/shm", name));
      layOut(template, folder);
      victim = await newVictim(join(outside, OPENED));
      terminal.type();
    },
    close: async () => {
      await end(victim);
      traps.close();
      await terminal.close();
    },
  };
}

/** A file that the victim and the sessions have open to write. */
const OPENED = "opened";

/** The folders of a world: files of each kind, a repository, a script. Made once, since git takes its time. */
const FOLDERS = ["workspace", "outside", "home"] as const;

function makeTemplate(template: string): string {
  const [workspace, outside, home] = FOLDERS.map((name) => join(template, name)) as [string, string, string];
  for (const folder of [workspace, outside, home]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file"), "kept\n");
  }
  mkdirSync(join(workspace, "folder"));
  mkdirSync(join(workspace, "empty"));
  writeFileSync(join(workspace, "folder/inner"), "kept\n");
  symlinkSync("file", join(workspace, "link"));
  symlinkSync("../outside", join(workspace, "out"));
  writeFileSync(join(workspace, "script"), "#!/bin/sh\ntouch made-by-a-script\n");
  chmodSync(join(workspace, "script"), 0o755);
  for (const name of ["fifo", "other-fifo"]) execFileSync("mkfifo", [join(outside, name)]);
  const git = (...words: string[]): void => {
    const person = ["-c", "user.name=a", "-c", "user.email=a@a"];
    execFileSync("git", [...person, ...words], {
      cwd: workspace,
      stdio: "ignore",
      env: { ...process.env, HOME: home },
    });
  };
  git("init", "-q");
  git("add", "file", "link");
  git("commit", "-q", "-m", "one");
  return template;
}

/** Folders stay the same ones, and so does the file that sessions have open: they are where sessions are. */
function layOut(template: string, folder: string): void {
  // What a control made immutable cannot be removed.
  spawnSync("chattr", ["-R", "-f", "-i", ...FOLDERS.map((name) => join(folder, name))]);
  for (const name of FOLDERS) {
    const target = join(folder, name);
    mkdirSync(target, { recursive: true });
    for (const entry of readdirSync(target)) {
      if (entry !== OPENED) rmSync(join(target, entry), { recursive: true, force: true });
    }
    execFileSync("cp", ["-a", `${join(template, name)}/.`, target]);
  }
  writeFileSync(join(folder, "outside", OPENED), "");
}

async function newVictim(opened: string): Promise<ChildProcess> {
  const file = openSync(opened, "a");
  const victim = await startVictim({ PATH: "/usr/bin:/bin", SECRET }, file);
  closeSync(file);
  return victim;
}

async function end(victim: ChildProcess): Promise<void> {
  const hasEnded = victim.exitCode !== null || victim.signalCode !== null;
  const ended = hasEnded ? undefined : new Promise((resolve) => victim.once("exit", resolve));
  try {
    process.kill(victim.pid ?? 0, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
  await ended;
}

/** What the kernel has for all processes, by names of this world alone: others use the same machine. */
function kernelFacts(token: string): Map<string, string> {
  const key = String(Number.parseInt(token, 16) | 0);
  const mine = (path: string, mark: string): string =>
    readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line.includes(mark))
      .join("\n");
  const names = ["shm", "sem", "msg"];
  return new Map([
    ...names.map((name): [string, string] => [`System V ${name}`, mine(`/proc/sysvipc/${name}`, key)]),
    ["keys", mine("/proc/keys", token)],
    ["host name", readFileSync("/proc/sys/kernel/hostname", "utf8")],
    [
      "shared memory",
      readdirSync("/dev/shm")
        .filter((name) => name.includes(token))
        .join(" "),
    ],
  ]);
}
