/** What results say a sandbox may have refused: read from the messages of programs, and never more than they say. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { SandboxReport } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { hintsIn, outcomeOf, type Profile } from "../src/refusals.ts";

const REPORT: SandboxReport = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] };

/** The profile of a workspace `/w`, where nothing is; so no link leads anywhere. */
function profile(report: Partial<SandboxReport> = {}, isRoot = false): Profile {
  return { report: { ...REPORT, ...report }, writablePaths: ["/w"], cwd: "/w", isRoot };
}

async function kinds(line: string, known = profile()): Promise<(string | undefined)[][]> {
  return (await hintsIn(`before\n${line}\nafter\n`, known)).map(({ kind, path }) => [kind, path]);
}

describe("a refusal", () => {
  it.each([
    ["bash: line 1: /etc/x: Read-only file system", "read-only-path", "/etc/x"],
    ["bash: /etc/x: Read-only file system", "read-only-path", "/etc/x"],
    ["touch: cannot touch '../x': Read-only file system", "read-only-path", "../x"],
    ["Error: EROFS: read-only file system, open '/etc/x'", "read-only-path", "/etc/x"],
    ["OSError: [Errno 30] Read-only file system: '/etc/x'", "read-only-path", "/etc/x"],
    ["mv: cannot move 'a' to '/etc/a': Read-only file system", "read-only-path", "/etc/a"],
    ["error: could not lock config file .git/config: Read-only file system", "protected-path", ".git/config"],
    ["rm: cannot remove '/w/.vscode': Device or resource busy", "protected-path", "/w/.vscode"],
    ["curl: (6) Could not resolve host: example.com", "network", undefined],
    ["curl: (7) Failed to connect to 127.0.0.1 port 80 after 0 ms: Couldn't connect to server", "network", undefined],
    ["ssh: Could not resolve hostname x: Temporary failure in name resolution", "network", undefined],
    ["npm error code EAI_AGAIN", "network", undefined],
    ["curl: (7) Failed to connect to localhost port 80: Connection refused", "network", undefined],
    ["dial unix /var/run/docker.sock: connect: operation not permitted", "local-socket", undefined],
    ["mount: /mnt: must be superuser to use mount.", "mount", undefined],
    ["unshare: must be superuser to enter a namespace", "namespace", undefined],
    ["kill: only root can signal this", "process", undefined],
    ["chown: only root can do that", "file-metadata", undefined],
    ["swapon: must be superuser", "system-call", undefined],
    ["bwrap: No permissions to create new namespace: Operation not permitted", "namespace", undefined],
    ["bash: kill: (1) - Operation not permitted", "process", undefined],
    ["bash: kill: (999) - No such process", "process", undefined],
    ["strace: attach: ptrace(PTRACE_SEIZE, 1): Operation not permitted", "process", undefined],
    ["chown: changing ownership of 'x': Operation not permitted", "file-metadata", undefined],
    ["io_uring_setup: Operation not permitted", "system-call", undefined],
    ["bash: line 1: /dev/pts/3: No such file or directory", "terminal", undefined],
    ["bash: line 1: /dev/pts/3: Permission denied", "terminal", undefined],
    ["head: cannot open '/dev/vcsa1' for reading: Permission denied", "terminal", undefined],
    ["PermissionError: [Errno 13] Permission denied: '/dev/tty1'", "terminal", undefined],
  ])("is notified of: %s", async (line, kind, path) => {
    expect(await kinds(line)).toEqual([[kind, path]]);
  });

  it.each([
    "cat: missing: No such file or directory",
    "bash: /dev/tty: No such device or address",
    "cat: /dev/ptmx.txt: No such file or directory",
    "bash: ./script: Permission denied",
    "cat: /etc/shadow: Permission denied",
    "umount: /mnt/usb: target is busy.",
    "FAIL test/one.test.ts",
    "mv: cannot move '/elsewhere/a' to '/elsewhere/b': Device or resource busy",
  ])("is not made of: %s", async (line) => {
    expect(await kinds(line)).toEqual([]);
  });
});

it("the network is not blamed where there is one", async () => {
  expect(await kinds("curl: (6) Could not resolve host: example.com", profile({ network: true }))).toEqual([]);
  expect(await kinds("socket: Operation not permitted", profile({ network: true }))).toEqual([
    ["system-call", undefined],
  ]);
  for (const refused of ["Permission denied", "only root can do that"]) {
    expect(await kinds(`bind: ${refused}`, profile({ network: true }))).toEqual([["system-call", undefined]]);
    expect(await kinds(`bind: ${refused}`)).toEqual([["network", undefined]]);
  }
});

it("permission is denied to root by the sandbox, and outside by Landlock alone", async () => {
  const line = "cat: /home/ann/.netrc: Permission denied";
  const alone = profile({ backend: "landlock", degraded: ["protected-paths", "file-metadata"] });

  expect(await kinds(line, profile({}, true))).toEqual([["privilege", "/home/ann/.netrc"]]);
  expect(await kinds("bash: line 1: /etc/x: Permission denied", alone)).toEqual([["read-only-path", "/etc/x"]]);
  expect(await kinds("bash: line 1: /w/x: Permission denied", alone)).toEqual([]);
});

it("Seatbelt refuses writing in the words of `EPERM`", async () => {
  const seatbelt = profile({ backend: "seatbelt" });

  expect(await kinds("touch: /etc/x: Operation not permitted", seatbelt)).toEqual([["read-only-path", "/etc/x"]]);
  expect(await kinds("touch: .git/hooks/x: Operation not permitted", seatbelt)).toEqual([
    ["protected-path", ".git/hooks/x"],
  ]);
});

it("a path counts as what its links lead to", async () => {
  const folder = scratchFolder();
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  symlinkSync(folder, join(workspace, "link"));
  const known = { ...profile(), writablePaths: [workspace], cwd: workspace };

  expect(await kinds("bash: link/x/y: Read-only file system", known)).toEqual([["read-only-path", "link/x/y"]]);
  expect(await kinds("bash: plain/x: Read-only file system", known)).toEqual([["protected-path", "plain/x"]]);
});

it("the last lines alone are read, and few are reported", async () => {
  const early = `bash: /etc/early: Read-only file system\n${"x\n".repeat(200)}`;
  const many = Array.from({ length: 20 }, (_, index) => `bash: /etc/${index}: Read-only file system`).join("\n");
  const long = `${"x".repeat(3_000)}: Read-only file system`;

  expect(await hintsIn(early, profile())).toEqual([]);
  expect(await hintsIn(long, profile())).toEqual([]);
  expect((await hintsIn(many, profile())).map(({ path }) => path)).toEqual([
    "/etc/15",
    "/etc/16",
    "/etc/17",
    "/etc/18",
    "/etc/19",
  ]);
  const [wide] = await hintsIn(`bash: '/etc/${"y".repeat(500)}': Read-only file system`, profile());
  expect(wide?.evidence).toHaveLength(200);
});

describe("what the proxy refused", () => {
  it("is a record with its target, whatever the exit status, and no part of the report beside it", () => {
    const networkRefusals = [
      { target: "a.example:443", reason: "no rule allows", rule: "a.example" },
      { target: "a\\0.example:443", reason: "is not the name of a host" },
    ];

    expect(outcomeOf({ ...REPORT, network: { allow: [] }, networkRefusals })).toEqual({
      ...REPORT,
      network: { allow: [] },
      refusals: [
        {
          kind: "network",
          target: "a.example:443",
          rule: "a.example",
          evidence: "`a.example:443`, which no rule allows",
        },
        {
          kind: "network",
          target: "a\\0.example:443",
          evidence: "`a\\0.example:443`, which is not the name of a host",
        },
      ],
    });
    expect(outcomeOf(REPORT)).toEqual(REPORT);
  });

  it("leaves programs that pass the proxy by to hints", async () => {
    const known = profile({ network: { allow: ["a.example"] } });

    expect(await kinds("curl: (6) Could not resolve host: a.example", known)).toEqual([["network", undefined]]);
  });
});
