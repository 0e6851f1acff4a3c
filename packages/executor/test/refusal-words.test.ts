/** Which words of a failed program say what a sandbox refused: every message and every topic, and what says nothing. */
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxReport } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { hintsIn, type Profile } from "../src/refusals.ts";

const REPORT: SandboxReport = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] };

/** The profile of a workspace `/w`, where nothing is; so no link leads anywhere. */
const profile = (report: Partial<SandboxReport> = {}, more: Partial<Profile> = {}): Profile => ({
  report: { ...REPORT, ...report },
  writablePaths: ["/w"],
  cwd: "/w",
  isRoot: false,
  ...more,
});
const hints = async (line: string, known = profile()) =>
  (await hintsIn(line, known)).map(({ kind, path }) => [kind, path]);

describe("a message", () => {
  it.each<[string, string, string?]>([
    ["a: b: EROFS", "protected-path", "b"],
    ["Error: EBUSY: resource is in use, unlink '/w/.git/x'", "protected-path", "/w/.git/x"],
    ["Error: EXDEV: link not permitted, rename '/w/a' -> '/etc/a'", "read-only-path", "/etc/a"],
    ["mv: cannot move '/w/a' to '/etc/a': Invalid cross-device link", "read-only-path", "/etc/a"],
    ["write EPERM", "system-call"],
    ["write: EAFNOSUPPORT", "system-call"],
    ["a: Address family not supported by protocol", "system-call"],
    ["ping: connect: Network is unreachable", "network"],
    ["ssh: No route to host", "network"],
    ["nc: Connection refused", "network"],
    ["curl: Could not resolve host", "network"],
    ["curl: Could not connect to server", "network"],
    ["curl: Couldn't connect to server", "network"],
    ["wget: couldn't resolve host", "network"],
    ["git: Could n0t resolve", ""],
    ["ssh: Temporary failure in name resolution", "network"],
    ["ssh: Name or service not known", "network"],
    ["Error: getaddrinfo ENETUNREACH", "network"],
    ["Error: EHOSTUNREACH", "network"],
    ["Error: ECONNREFUSED 127.0.0.1:80", "network"],
    ["Error: XECONNREFUSED", ""],
    ["Error: ECONNREFUSEDX", ""],
    ["process.kill ESRCH", "process"],
    ["strace: ptrace: No such process", "process"],
    ["Error: ENOENT: open '/dev/tty1'", "terminal"],
    ["mount: No such file or directory", ""],
    ["unshare: No such file or directory", ""],
    ["XEROFS a: b", ""],
    ["EROFSX a: b", ""],
    ["swapon: Only root can do that", "system-call"],
    ["swapon: '/etc/x': must be superuser", "system-call", "/etc/x"],
    ["swapon: '/w/x': must be superuser", "system-call", "/w/x"],
  ])("says by its failure: %s", async (line, kind, path) => {
    expect(await hints(line)).toEqual(kind === "" ? [] : [[kind, path]]);
  });

  it.each([
    ["ioctl TIOCSTI", "terminal"],
    ["ioctl TIOCLINUX", "terminal"],
    ["/dev/console", "terminal"],
    ["/dev/consoles", "system-call"],
    ["/dev/pts/x", "system-call"],
    ["/dev/tty", "system-call"],
    ["/dev/vcs", "terminal"],
    ["unshare", "namespace"],
    ["xunshare", "system-call"],
    ["setns", "namespace"],
    ["nsenter", "namespace"],
    ["bwrap", "namespace"],
    ["user NAMESPACE", "namespace"],
    ["/proc/self/uid_map", "namespace"],
    ["mount", "mount"],
    ["umount", "mount"],
    ["amount", "system-call"],
    ["pivot_root", "mount"],
    ["chroot", "mount"],
    ["kill", "process"],
    ["killed", "system-call"],
    ["ptrace(4)", "process"],
    ["strace", "process"],
    ["/proc/17/mem", "process"],
    ["/proc/x/mem", "system-call"],
    ["chmod", "file-metadata"],
    ["chgrp", "file-metadata"],
    ["chown", "file-metadata"],
    ["chmods", "system-call"],
    ["setting permissions of a", "file-metadata"],
    ["preserving ownership of a", "file-metadata"],
    ["setfattr", "file-metadata"],
    ["utimensat", "file-metadata"],
    ["lutimens", "file-metadata"],
    ["unix", "local-socket"],
    ["abstract socket", "local-socket"],
    ["session d-bus", "local-socket"],
    ["dbus", "local-socket"],
    ["the message bus", "local-socket"],
    ["/run/x.sock", "local-socket"],
    ["/run/x.sockets", "system-call"],
    ["the docker daemon", "local-socket"],
    ["connect EPERM /run/x", "local-socket"],
    ["connect EPERM @name", "local-socket"],
    ["connect EPERM 10.0.0.1:80", "network"],
    ["socket", "network"],
    ["sockets", "system-call"],
    ["connect", "network"],
    ["bind", "network"],
    ["send", "network"],
    ["sendto", "network"],
    ["sendmsg", "network"],
    ["senders", "system-call"],
  ])("says by its topic: %s", async (topic, kind) => {
    expect((await hintsIn(`${topic} Operation not permitted`, profile())).map((one) => one.kind)).toEqual([kind]);
  });

  it.each([
    ["mount: /w/x: Read-only file system", "mount", undefined],
    ["umount: /w/x: Device or resource busy", "mount", undefined],
    ["chmod: changing permissions of '/etc/x': Read-only file system", "read-only-path", "/etc/x"],
    ["kill: '/etc/x': Read-only file system", "read-only-path", "/etc/x"],
  ])("of another failure says by its topic only that it was a mount: %s", async (line, kind, path) => {
    expect(await hints(line)).toEqual([[kind, path]]);
  });

  it.each([
    ["  code: 'EROFS',", 0],
    ["code: 'EROFS'", 0],
    ["code: 'EROFS',   ", 0],
    ["a code: 'EROFS'", 1],
    ["code: 'EROFS', path", 1],
    ["code: 'EROFS' and 'EPERM'", 1],
  ])("that is the code of an error alone says nothing: %j", async (line, count) => {
    expect(await hints(line)).toHaveLength(count);
  });
});

describe("a path", () => {
  it.each([
    ['touch: cannot touch "/etc/x": Read-only file system', "/etc/x"],
    ["touch: cannot touch ‘/etc/x’: Read-only file system", "/etc/x"],
    ["touch: cannot touch `/etc/x`: Read-only file system", "/etc/x"],
    ["mv: '/etc/a' '/etc/b' '/w/c': Read-only file system", "/etc/b"],
    ["mv: '/w/a' '/w/b': Read-only file system", "/w/a"],
    ["a: the file /etc/x: Read-only file system", "/etc/x"],
    ["/etc/x: Read-only file system", "/etc/x"],
    ["a: two words: Read-only file system", undefined],
    ["b: Read-only file system", undefined],
    ["a: b: : Read-only file system", "b"],
    ["Read-only file system", undefined],
    ["a:   b  : Read-only file system", "b"],
  ])("is taken from %s", async (line, path) => {
    expect((await hintsIn(line, profile())).map((hint) => hint.path)).toEqual([path]);
  });

  it.each([
    ["/w", "protected-path"],
    ["/w/..x", "protected-path"],
    ["/w/../x", "read-only-path"],
    ["/wx", "read-only-path"],
    ["/", "read-only-path"],
    ["..", "read-only-path"],
    [".", "protected-path"],
  ])("is in a folder that can be written, or is not: %s", async (path, kind) => {
    expect(await hints(`a: '${path}': Read-only file system`)).toEqual([[kind, path]]);
  });

  it("is looked for in each folder that can be written", async () => {
    const known = profile({}, { writablePaths: ["/v", "/w"] });
    expect(await hints("a: '/v/x': Read-only file system", known)).toEqual([["protected-path", "/v/x"]]);
    expect(await hints("a: '/w/x': Read-only file system", known)).toEqual([["protected-path", "/w/x"]]);
  });

  it("leads through links behind at most sixteen missing folders", async () => {
    const folder = scratchFolder();
    const workspace = join(folder, "workspace");
    mkdirSync(workspace);
    symlinkSync(folder, join(workspace, "link"));
    const known = profile({}, { writablePaths: [workspace], cwd: workspace });
    const deep = (count: number) => `a: 'link/${Array.from({ length: count }, () => "m").join("/")}': EROFS`;

    expect((await hints(deep(16), known))[0]?.[0]).toBe("read-only-path");
    expect((await hints(deep(17), known))[0]?.[0]).toBe("protected-path");
  });
});

describe("what is denied", () => {
  const alone = { backend: "landlock", degraded: ["protected-paths"] } as Partial<SandboxReport>;
  it.each<[string, string, Partial<SandboxReport>, boolean, string[]]>([
    ["outside by Landlock alone", "'/etc/x'", alone, true, ["read-only-path"]],
    ["inside by Landlock alone, to root", "'/w/x'", alone, true, ["privilege"]],
    ["inside by Landlock alone", "'/w/x'", alone, false, []],
    ["unnamed by Landlock alone", "", alone, false, []],
    ["outside by Landlock beside mounts", "'/etc/x'", { backend: "landlock" }, false, []],
    ["outside where mounts are degraded", "'/etc/x'", { degraded: ["protected-paths"] }, false, []],
    ["unnamed to root", "", {}, true, ["privilege"]],
  ])("%s depends on who asks and where", async (_, path, report, isRoot, found) => {
    expect((await hints(`cat: ${path}: Permission denied`, profile(report, { isRoot }))).map(([kind]) => kind)).toEqual(
      found,
    );
  });

  it.each<[string, string, string, string]>([
    ["Seatbelt", "seatbelt", "'/w/x'", "protected-path"],
    ["Seatbelt", "seatbelt", "'/etc/x'", "read-only-path"],
    ["Seatbelt", "seatbelt", "", "system-call"],
    ["another one", "bubblewrap", "'/w/x'", "system-call"],
  ])("by %s in the words of EPERM depends on the path: %s %s", async (_, backend, path, kind) => {
    const known = profile({ backend } as Partial<SandboxReport>);
    expect((await hints(`touch ${path}: Operation not permitted`, known)).map(([found]) => found)).toEqual([kind]);
  });

  it.each([
    ["Device or resource busy", "'/w/x'", ["protected-path"]],
    ["Device or resource busy", "", []],
    ["Invalid cross-device link", "'/w/x'", []],
    ["Invalid cross-device link", "", []],
    ["Read-only file system", "", ["read-only-path"]],
  ])("is not guessed: %s %s", async (words, path, found) => {
    expect((await hints(`mv ${path}: ${words}`)).map(([kind]) => kind)).toEqual(found);
  });
});

describe.runIf(process.getuid?.() === 0)("what a read-only run is denied (needs root)", () => {
  const known = (isRoot: boolean) => profile({}, { writablePaths: [], isReadOnly: true, isRoot });
  it("depends on what the host may do there", async () => {
    const folder = scratchFolder();
    const file = (name: string, mode: number, uid: number): string => {
      const path = join(folder, name);
      writeFileSync(path, "");
      chmodSync(path, mode);
      chownSync(path, uid, uid);
      return path;
    };
    const of = async (path: string, isRoot = true) =>
      (await hints(`cat: '${path}': Permission denied`, known(isRoot))).map(([kind]) => kind);

    expect(await of(file("theirs", 0o600, 65_534))).toEqual(["privilege"]);
    expect(await of(file("theirs-not-root", 0o600, 65_534), false)).toEqual(["read-only-path"]);
    expect(await of(file("shown", 0o604, 65_534))).toEqual(["read-only-path"]);
    expect(await of(file("ours", 0o600, 0))).toEqual(["read-only-path"]);
    expect(await of(join(folder, "missing"))).toEqual(["read-only-path"]);
    expect(await of(join(folder, "missing", "too"))).toEqual([]);
  });

  it("says nothing of what is gone, and another failure is what it is in a sandbox", async () => {
    expect(await hints("kill: No such process", known(false))).toEqual([]);
    expect(await hints("bash: '/etc/x': Read-only file system", known(false))).toEqual([["read-only-path", "/etc/x"]]);
    expect(await hints("cat: Permission denied", known(false))).toEqual([]);
  });
});

describe("of many lines", () => {
  it("the last hundred are read, each of at most 2,000 units", async () => {
    const refused = "a: '/etc/x': EROFS";
    const after = (count: number) => `${refused}${"\n-".repeat(count)}`;
    expect([await hints(after(99)), await hints(after(100))]).toEqual([[["read-only-path", "/etc/x"]], []]);
    const long = (length: number) => `${"y".repeat(length - refused.length)}${refused}`;
    expect((await hints(long(2_000))).length).toBe(1);
    expect((await hints(long(2_001))).length).toBe(0);
  });

  it("those that say the same are one, with the words of the first", async () => {
    const found = await hintsIn(
      ["  first '/etc/x': EROFS  ", "again '/etc/x': EROFS", "other '/etc/y': EROFS", "write EPERM", "send EPERM"].join(
        "\n",
      ),
      profile(),
    );

    expect(found).toEqual([
      { kind: "read-only-path", path: "/etc/x", evidence: "first '/etc/x': EROFS" },
      { kind: "read-only-path", path: "/etc/y", evidence: "other '/etc/y': EROFS" },
      { kind: "system-call", evidence: "write EPERM" },
      { kind: "network", evidence: "send EPERM" },
    ]);
  });
});
