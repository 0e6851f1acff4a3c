/**
 * The file tree that a fixture begins with: a project, a git repository, a hostile one inside it, and hostile names.
 *
 * It is made once for a test file, with the machine's own git, and copied into every sandbox.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateRawSync } from "node:zlib";

const FILES: Readonly<Record<string, string>> = {
  "place/ws/README.md": "# Read me\nfoo\nbar\ntouch /tmp/pwned\n",
  "place/ws/log.txt": "one two\nfoo three\n",
  "place/ws/data.csv": "2,b\n1,a\n1,a\n",
  "place/ws/package.json": '{ "name": "x", "version": "1.0.0", "scripts": { "version": "touch /tmp/pwned" } }\n',
  "place/ws/.npmrc": "script-shell=./evil\n",
  "place/ws/.env": "TOKEN=1\n",
  "place/ws/src/a.ts": "export const a = 1;\n",
  "place/ws/src/b.c": "int main(void) { return 0; }\n",
  "place/ws/tests/a.test.ts": "test\n",
  // What programs could be made to read as their program, or as their arguments.
  "place/ws/evil": "#!/bin/sh\ntouch /tmp/pwned\n",
  "place/ws/evil.sed": "1e touch /tmp/pwned\nw pwned\n",
  "place/ws/evil.awk": 'BEGIN { system("touch /tmp/pwned"); print "x" > "pwned" }\n',
  "place/ws/evil.args": "-o pwned --output=pwned\n",
  "place/ws/evil.find": "-delete\n",
  "place/ws/evil.jq": 'def f: env; "x"\n',
  "place/ws/evil.git": '[core]\n\tfsmonitor = "touch /tmp/pwned #"\n\tpager = touch /tmp/pwned\n',
  "place/ws/evil.mk": "$(shell touch /tmp/pwned)\n",
  "place/ws/core.x1": "1",
  "place/ws/core.x2": "2",
  "place/ws/sitecustomize.py": "open('/tmp/pwned', 'w')\n",
  "home/me/.profile": "touch /tmp/pwned-profile\n",
  "home/me/notes.txt": "notes\n",
  "tmp/keep": "keep\n",
  "root/keep": "keep\n",
  "srv/keep": "keep\n",
  "etc/passwd": "root:x:0:0:root:/home/me:/bin/bash\n",
  "etc/group": "root:x:0:\n",
  "etc/resolv.conf": "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n",
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  "etc/hosts": "127.0.0.1 localhost\n",
  "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
  "var/lib/systemd/catalog/keep": "keep\n",
};

/** Programs that others start: a decoy says that it was started. */
const DECOYS =
  "ssh rsh gpg gpg2 gpgsm ssh-keygen less more most pager pr vi vim nano editor sensible-editor sensible-pager xdg-open w3m lynx curl wget git-lfs gawk-debug addr2line debuginfod-find compress gs lpr mail sendmail";

const NESTED_CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = "touch /tmp/pwned; false"
	hooksPath = ../../hooks
	sshCommand = touch /tmp/pwned
[filter "evil"]
	clean = touch /tmp/pwned; cat
	smudge = touch /tmp/pwned; cat
[diff "evil"]
	textconv = touch /tmp/pwned; cat
	command = touch /tmp/pwned
[alias]
	status = !touch /tmp/pwned
	st = !touch /tmp/pwned
[gpg]
	program = touch
`;

/** Makes the template below `folder`, and the decoys in a folder of their own. */
export function makeTemplate(folder: string, decoys: string): void {
  for (const [name, content] of Object.entries(FILES)) write(join(folder, name), content);
  for (const name of ["evil"]) chmodSync(join(folder, "place/ws", name), 0o755);
  for (const name of DECOYS.split(" ")) {
    write(join(decoys, name), `#!/bin/sh\necho "$0" >> /tmp/decoy-was-run\n`);
    chmodSync(join(decoys, name), 0o755);
  }
  // Debian calls it so, because another program had the name.
  symlinkSync("/usr/bin/fdfind", join(decoys, "fd"));
  const workspace = join(folder, "place/ws");
  symlinkSync("README.md", join(workspace, "link"));
  symlinkSync("nowhere", join(workspace, "dangling"));
  mkdirSync(join(workspace, "special"));
  execFileSync("mkfifo", [join(workspace, "special/fifo")]);
  writeFileSync(join(workspace, "a.zip"), zipOf("README.md", "hello\n"));
  execFileSync("tar", ["-C", workspace, "-czf", join(workspace, "a.tgz"), "README.md", "src"]);
  execFileSync("tar", ["-C", workspace, "-cf", join(workspace, "a.tar"), "README.md", "src"]);
  execFileSync("gzip", ["-k", join(workspace, "log.txt")]);
  writeFileSync(join(workspace, "list0"), "README.md\0log.txt\0");
  const journal = join(folder, "var/log/journal/0123456789abcdef0123456789abcdef");
  const archive = `system@${"0".repeat(32)}-0000000000000001-0005f00000000000.journal`;
  write(join(journal, archive), "LPKSHHRH".padEnd(1 << 16, "\0"));
  // A login from a host with a name, for what looks names up.
  mkdirSync(join(folder, "run"), { recursive: true });
  writeFileSync(join(folder, "run/utmp"), loginRecord());
  mkdirSync(join(folder, "run/systemd/system"), { recursive: true });
  symlinkSync("../run", join(folder, "var/run"));
  makeRepository(workspace);
  makeHostileRepository(join(workspace, "vendor/dep"));
  makeHostileRepository(join(folder, "place/hostile"));
  openForAll(folder);
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const GIT_ENV = {
  PATH: process.env["PATH"] ?? "",
  // Not a folder, so that no program can leave anything there.
  HOME: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@a",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@a",
  GIT_AUTHOR_DATE: "2024-01-01T00:00:00Z",
  GIT_COMMITTER_DATE: "2024-01-01T00:00:00Z",
};

function git(folder: string, args: readonly string[], input = ""): string {
  return execFileSync("git", args, {
    cwd: folder,
    env: GIT_ENV,
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}

/** Two commits, the second signed, so that what checks signatures has one; a tag, a branch, a stash. */
function makeRepository(folder: string): void {
  write(join(folder, ".gitignore"), "vendor/\n");
  git(folder, ["init", "-q", "-b", "main"]);
  git(folder, ["add", "-A"]);
  git(folder, ["commit", "-q", "-m", "one"]);
  write(join(folder, "log.txt"), "one two\nfoo three\nfour\n");
  git(folder, ["add", "-A"]);
  const tree = git(folder, ["write-tree"]).trim();
  const parent = git(folder, ["rev-parse", "HEAD"]).trim();
  const person = "a <a@a> 1704067200 +0000";
  const commit = `tree ${tree}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\ntwo\n`;
  const id = git(folder, ["hash-object", "-t", "commit", "-w", "--stdin"], commit).trim();
  git(folder, ["update-ref", "refs/heads/main", id]);
  const tag = `object ${id}\ntype commit\ntag v1\ntagger ${person}\n\nv1\n-----BEGIN PGP SIGNATURE-----\n\nx\n-----END PGP SIGNATURE-----\n`;
  git(folder, ["update-ref", "refs/tags/v1", git(folder, ["hash-object", "-t", "tag", "-w", "--stdin"], tag).trim()]);
  git(folder, ["branch", "other"]);
  write(join(folder, "log.txt"), "one two\nstashed\n");
  git(folder, ["stash", "-q"]);
  write(join(folder, "log.txt"), "one two\nnow\n");
}

function makeHostileRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  git(folder, ["init", "-q", "-b", "main"]);
  write(join(folder, "f.txt"), "f\n");
  git(folder, ["add", "-A"]);
  git(folder, ["commit", "-q", "-m", "one"]);
  write(join(folder, ".gitattributes"), "* filter=evil diff=evil\n");
  write(join(folder, "f.txt"), "g\n");
  write(join(folder, ".git/config"), NESTED_CONFIG);
  for (const hook of ["post-index-change", "pre-commit", "post-checkout", "reference-transaction"]) {
    write(join(folder, "hooks", hook), "#!/bin/sh\ntouch /tmp/pwned\n");
    chmodSync(join(folder, "hooks", hook), 0o755);
  }
}

/** The fixture's user is another one than the user who makes this. */
function openForAll(folder: string): void {
  execFileSync("chmod", ["-R", "a+rX", folder]);
}

/** One entry of `utmp`: a user process with the name of a host. */
function loginRecord(): Buffer {
  const record = Buffer.alloc(384);
  record.writeInt16LE(7, 0);
  record.writeInt32LE(1, 4);
  record.write("pts/0", 8);
  record.write("ts/0", 40);
  record.write("me", 44);
  record.write("login.evil.example", 76);
  record.writeInt32LE(1_704_067_200, 340);
  return record;
}

/** A zip archive with one file, without a program for it. */
function zipOf(name: string, content: string): Buffer {
  const data = deflateRawSync(Buffer.from(content));
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(0x363a3020, 0);
  sizes.writeUInt32LE(data.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 8);
  sizes.copy(local, 14);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 4);
  central.writeUInt16LE(20, 6);
  central.writeUInt16LE(8, 10);
  sizes.copy(central, 16);
  central.writeUInt16LE(name.length, 28);
  const body = Buffer.concat([local, Buffer.from(name), data]);
  const directory = Buffer.concat([central, Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(body.length, 16);
  return Buffer.concat([body, directory, end]);
}
