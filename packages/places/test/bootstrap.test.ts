/** The bootstrap in each shell there is, with a program of the test's in the place of `pi-host`. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bootstrapWords, joinWords } from "../src/bootstrap.ts";

/** Stands in for `pi-host`: says how it was started. */
const PROGRAM = Buffer.from(
  '#!/bin/sh\ncase $1 in --version) exit 0;; esac\nprintf "up %s|%s|%s|%s\\n" "$*" "$(umask)" "${pb_n-unset}" "${n-unset}"\n',
);
const DIGEST = createHash("sha256").update(PROGRAM).digest("hex");
const MACHINE = spawnSync("sh", ["-c", "echo $(uname -s)-$(uname -m)"], { encoding: "utf8" }).stdout.trim();
const BUILD = { machine: MACHINE, digest: DIGEST, size: PROGRAM.length };

const SHELLS = [["dash"], ["bash", "--posix"], ["bash"], ["busybox", "sh"]].filter(
  ([shell = ""]) => spawnSync("sh", ["-c", 'command -v "$1"', "sh", shell]).status === 0,
);

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-bootstrap-")));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Boot {
  shell?: readonly string[];
  env?: Record<string, string>;
  bytes?: Buffer;
  build?: typeof BUILD;
  words?: (words: string[]) => string[];
}

/** Runs the bootstrap as a near side would: the bytes are sent when they are asked for. */
async function boot({ shell = ["/bin/sh"], env = {}, bytes = PROGRAM, build = BUILD, words }: Boot = {}) {
  const made = bootstrapWords({ nonce: "N", builds: [build], args: ["stdio", "--keep-ms", "5"] });
  const argv = words?.(made) ?? [...shell, ...made.slice(1)];
  const child = spawn(argv[0] ?? "", argv.slice(1), {
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, n: "mine", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  let isAsked = false;
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    if (isAsked || !output.includes("PI-HOST N need")) return;
    isAsked = true;
    child.stdin.end(bytes);
  });
  await new Promise((resolve) => child.once("close", resolve));
  return { lines: output.split("\n").filter((line) => line !== ""), isAsked };
}

const UP = "up stdio --keep-ms 5|0022|unset|mine";

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(" ") })))("the bootstrap in $name", ({ shell }) => {
  const cache = (): string => join(folder, ".cache/pi-bash");

  it("asks for the program once, checks it, and becomes it with the umask and the variables of before", async () => {
    process.umask(0o022);
    const first = await boot({ shell });
    const second = await boot({ shell });

    expect(first.lines).toEqual([`PI-HOST N need ${MACHINE}`, "PI-HOST N ready", UP]);
    expect(second.lines).toEqual(["PI-HOST N ready", UP]);
    expect(statSync(cache()).mode & 0o777).toBe(0o700);
    expect(readdirSync(cache())).toEqual([`pi-host-${DIGEST}`]);
  });

  it.each([
    ["a full disk left", ""],
    ["a full disk left in the middle", "#!/bin/sh\n"],
    ["was changed and has the same size", PROGRAM.toString().replace("up ", "no ")],
  ])("replaces a file that %s", async (_what, left) => {
    const PI_HOST_CACHE = join(folder, "kept");
    mkdirSync(PI_HOST_CACHE, { mode: 0o700 });
    writeFileSync(join(PI_HOST_CACHE, `pi-host-${DIGEST}`), left, { mode: 0o700 });
    const { lines } = await boot({ shell, env: { PI_HOST_CACHE } });
    expect(lines).toEqual([`PI-HOST N need ${MACHINE}`, "PI-HOST N ready", expect.stringMatching(/^up /)]);
    expect(readdirSync(PI_HOST_CACHE)).toEqual([`pi-host-${DIGEST}`]);
    expect(statSync(join(PI_HOST_CACHE, `pi-host-${DIGEST}`)).size).toBe(PROGRAM.length);
  });

  it("refuses bytes with another digest, and keeps nothing of them", async () => {
    const other = Buffer.from(PROGRAM);
    other[other.length - 2] = 0x20;
    const { lines } = await boot({ shell, bytes: other });
    expect(lines.at(-1)).toBe(`PI-HOST N refused digest ${cache()}`);
    expect(readdirSync(cache())).toEqual([]);
  });

  it("refuses bytes that end too early", async () => {
    const { lines } = await boot({ shell, bytes: PROGRAM.subarray(0, 20) });
    expect(lines.at(-1)).toBe(`PI-HOST N refused space ${cache()}`);
    expect(readdirSync(cache())).toEqual([]);
  });

  it("goes past a folder that is a link, or a file, or not absolute, to the next one", async () => {
    mkdirSync(join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), join(folder, "link"));
    for (const PI_HOST_CACHE of [join(folder, "link"), "relative", "/dev/null"]) {
      rmSync(cache(), { recursive: true, force: true });
      const { lines } = await boot({ shell, env: { PI_HOST_CACHE } });
      expect(lines.at(-1), PI_HOST_CACHE).toBe(UP);
      expect(readdirSync(cache())).toHaveLength(1);
    }
    expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
  });

  it("makes no home where there is none", async () => {
    const home = join(folder, "gone");
    const elsewhere = join("/tmp", `pi-bash-${process.getuid?.() ?? ""}`);

    const { lines } = await boot({ env: { HOME: home } });

    // Where it is found again, it is not asked for.
    for (const name of readdirSync(elsewhere).filter((each) => each.includes(DIGEST))) rmSync(join(elsewhere, name));
    expect(lines.at(-1)).toBe(UP);
    expect(existsSync(home)).toBe(false);
  });

  it("closes a folder of the user's that others could enter", async () => {
    mkdirSync(cache(), { recursive: true });
    chmodSync(cache(), 0o777);
    await boot({ shell });
    expect(statSync(cache()).mode & 0o777).toBe(0o700);
  });

  it("names the machine that it has no program for", async () => {
    const { lines } = await boot({ shell, build: { ...BUILD, machine: "Linux-riscv64" } });
    expect(lines).toEqual([`PI-HOST N refused machine ${MACHINE}`]);
  });

  it("takes a folder with blanks in its name", async () => {
    const PI_HOST_CACHE = join(folder, "my cache");
    const { lines } = await boot({ shell, env: { PI_HOST_CACHE } });
    expect(lines.at(-1)).toBe(UP);
    expect(readdirSync(PI_HOST_CACHE)).toEqual([`pi-host-${DIGEST}`]);
  });

  it("says why a program that does not run was refused, folder by folder", async () => {
    const broken = Buffer.from("#!/bin/sh\nexit 3\n");
    const digest = createHash("sha256").update(broken).digest("hex");
    const { lines } = await boot({
      shell,
      bytes: broken,
      build: { machine: MACHINE, digest, size: broken.length },
      env: { PI_HOST_CACHE: join(folder, "one") },
    });
    expect(lines.at(-1)).toMatch(
      /^PI-HOST N refused folder .*one it ends with status 3; in .*\.cache\/pi-bash it ends/,
    );
    expect(existsSync(join(folder, "one", `pi-host-${digest}`))).toBe(false);
    expect(readdirSync(join(folder, "one"))).toEqual([]);
  });
});

describe("the bootstrap", () => {
  it("takes the program where there is neither `head -c` nor `sha256sum`, and says that it was not checked", async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const tool of ["uname", "id", "ls", "mkdir", "chmod", "dd", "wc", "rm", "mv", "cp", "cat", "sh"]) {
      const found = spawnSync("sh", ["-c", 'command -v "$1"', "sh", tool], { encoding: "utf8" }).stdout.trim();
      if (found.startsWith("/")) symlinkSync(found, join(bin, tool));
    }
    writeFileSync(join(bin, "head"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });

    const { lines } = await boot({ env: { PATH: bin } });

    expect(lines).toEqual([`PI-HOST N need ${MACHINE}`, "PI-HOST N ready unverified", expect.stringMatching(/^up /)]);
  });

  it("goes through a login shell as one line", async () => {
    const { lines } = await boot({ words: (words) => ["bash", "-c", joinWords(words)] });
    expect(lines.at(-1)).toMatch(/^up stdio/);
  });

  it("has nothing in it that csh or fish would read in another way", () => {
    const line = joinWords(bootstrapWords({ nonce: "N", builds: [BUILD], args: ["stdio"] }));
    expect(line).not.toMatch(/[!\n\r]/);
    expect(line.match(/'/g)).toHaveLength(2);
    for (const word of ["it's", "wow!", "two\nlines", "end\\"]) expect(() => joinWords([word])).toThrow(RangeError);
  });

  it("starts a program that is there already, or says that it cannot", async () => {
    const path = join(folder, "given");
    writeFileSync(path, PROGRAM, { mode: 0o700 });
    const start = (at: string) =>
      boot({ words: () => bootstrapWords({ nonce: "N", builds: [], args: ["stdio"], path: at }) });
    expect((await start(path)).lines).toEqual(["PI-HOST N ready", expect.stringMatching(/^up stdio\|/)]);
    expect((await start(join(folder, "none"))).lines).toEqual([
      `PI-HOST N refused start ${join(folder, "none")} cannot be run`,
    ]);
  });
});
