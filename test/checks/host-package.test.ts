/** The packages of `pi-host`: what is in them, who gets them, and what a binary must be to get in. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { readProgram } from "../../scripts/package/elf.mjs";
import {
  digestOf,
  HOST_TARGETS,
  hostFileOf,
  hostFilesOf,
  hostPackageOf,
  hostsBuilt,
  isHostTarball,
  verifyHost,
} from "../../scripts/package/pi-host.mjs";
import { binaryNames, releaseNames } from "../../scripts/package/registry.mjs";
import { publishedManifest, stageHost } from "../../scripts/package/stage.mjs";
import { TARGETS } from "../../scripts/package/targets.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const onWindows = process.platform === "win32";

const MACHINES = { x64: 62, arm64: 183 };
const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;
const LOAD = 1;
const DYNAMIC = 2;
const INTERPRETER = 3;
const NEEDED = 1n;
const MAX_BYTES = 3_000_000;

type Host = (typeof HOST_TARGETS)[number];

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pi-bash-host-package-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The head of a program with one segment, and `tags` as what that segment has. */
function program(machine: number, segment = LOAD, tags: readonly bigint[] = []): Buffer {
  const body = Buffer.alloc(16 * tags.length);
  for (const [at, tag] of tags.entries()) body.writeBigUInt64LE(tag, 16 * at);
  const head = Buffer.alloc(HEADER_BYTES + SEGMENT_BYTES);
  head.writeUInt32BE(0x7f454c46, 0);
  head.set([2, 1, 1], 4);
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(machine, 18);
  head.writeBigUInt64LE(BigInt(HEADER_BYTES), 32);
  head.writeUInt16LE(SEGMENT_BYTES, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(segment, HEADER_BYTES);
  head.writeBigUInt64LE(BigInt(head.length), HEADER_BYTES + 8);
  head.writeBigUInt64LE(BigInt(body.length), HEADER_BYTES + 32);
  return Buffer.concat([head, body]);
}

/** Stages the package of `host` with these bytes; `digest` is what stands in the file beside it. */
function staged(host: Host, bytes = program(MACHINES[host.cpu]), digest: string = digestOf(bytes)): string {
  const binaries = folder();
  writeFileSync(join(binaries, hostFileOf(host)), bytes);
  writeFileSync(join(binaries, `${hostFileOf(host)}.sha256`), `${digest}  ${hostFileOf(host)}\n`);
  return stageHost(root, folder(), host, binaries);
}

const manifestIn = (path: string) => JSON.parse(readFileSync(join(path, "package.json"), "utf8"));

const places = JSON.parse(readFileSync(join(root, "packages", "places", "package.json"), "utf8"));

function hostOf(cpu: Host["cpu"]): Host {
  const host = HOST_TARGETS.find((one) => one.cpu === cpu);
  if (host === undefined) throw new Error(`there is no pi-host for ${cpu}`);
  return host;
}

describe("the packages of pi-host", () => {
  it("are one for each processor of Linux, offered by places in their own version, and released first", () => {
    const names = HOST_TARGETS.map(hostPackageOf);
    const linux = TARGETS.filter(({ os }) => os === "linux");

    expect(HOST_TARGETS.map(({ cpu }) => cpu)).toEqual([...new Set(linux.map(({ cpu }) => cpu))]);
    expect(publishedManifest(places).optionalDependencies).toEqual(
      Object.fromEntries(names.map((name) => [name, places.version])),
    );
    expect(releaseNames(root)).toEqual(expect.arrayContaining(names));
    expect(binaryNames()).toEqual(expect.arrayContaining(names));
  });

  it.each(HOST_TARGETS)("of $name is for every system: the machine that opens a place may be another", (host) => {
    const manifest = manifestIn(staged(host));

    expect(manifest.name).toBe(hostPackageOf(host));
    expect(manifest.version).toBe(places.version);
    for (const bound of ["os", "cpu", "libc"]) expect(manifest).not.toHaveProperty(bound);
  });

  it.each(HOST_TARGETS)("of $name is packed with its licence, its notices and its SHA-256", (host) => {
    const path = staged(host);
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], {
        cwd: path,
        encoding: "utf8",
        shell: onWindows,
      }),
    );
    const notices = readFileSync(join(path, "THIRD-PARTY-NOTICES.md"), "utf8");

    expect(packed.files.map((file: { path: string }) => file.path).sort()).toEqual(
      ["LICENSE", "README.md", "THIRD-PARTY-NOTICES.md", "package.json", ...hostFilesOf(host)].sort(),
    );
    expect(isHostTarball(packed.filename, host)).toBe(true);
    // What the program links, and nothing that only the addon does.
    for (const linked of ["tokio", "rustix", "subtle", "musl"])
      expect(notices).toMatch(new RegExp(`^- ${linked}[ ,]`, "m"));
    expect(notices).not.toMatch(/^- napi /m);
    expect(notices).toContain("Rich Felker");
  });

  it("are found by the loader of places where they are installed", () => {
    const project = folder();
    const { resolve } = createRequire(join(project, "node_modules", "@pi-bash", "places", "dist", "index.js"));
    for (const host of HOST_TARGETS) {
      const installed = join(project, "node_modules", ...hostPackageOf(host).split("/"));
      mkdirSync(dirname(installed), { recursive: true });
      renameSync(staged(host), installed);

      expect(resolve(hostPackageOf(host))).toBe(join(installed, hostFileOf(host)));
      if (!onWindows) expect(statSync(join(installed, hostFileOf(host))).mode & 0o777).toBe(0o755);
    }
  });

  it("have the names that places look for", () => {
    const loader = readFileSync(join(root, "packages", "places", "src", "host-binaries.ts"), "utf8");
    const looked = [...loader.matchAll(/target: "([^"]+)"/g)].map(([, name]) => name);

    expect(looked).toEqual(HOST_TARGETS.map(({ name }) => name));
    expect(loader).toContain("require.resolve(`@pi-bash/host-${target}`)");
  });

  it("are built below one folder, each in its own", () => {
    const folders = hostsBuilt("binaries").map(({ folder: path }) => path);

    expect(folders).toEqual(HOST_TARGETS.map(({ name }) => join("binaries", "pi-host", name)));
  });
});

describe("a binary", () => {
  const x64 = hostOf("x64");

  it("that is static and of its processor gets in", () => {
    for (const host of HOST_TARGETS) expect(verifyHost(staged(host), host)).toBe(`${hostPackageOf(host)}: 0.00 MB`);
  });

  it.each([
    ["of another processor", program(MACHINES.arm64), "is of the machine 183, not x64"],
    ["that needs a loader", program(MACHINES.x64, INTERPRETER), "is not static"],
    ["that needs a library", program(MACHINES.x64, DYNAMIC, [NEEDED, 0n]), "is not static"],
    [
      "that is larger than links should carry",
      Buffer.concat([program(MACHINES.x64), Buffer.alloc(MAX_BYTES)]),
      "it may",
    ],
    ["that was not built in a rehearsal", Buffer.from("was not built in this rehearsal\n"), "not a 64-bit"],
    ["that is cut off", program(MACHINES.x64, DYNAMIC, [NEEDED, 0n]).subarray(0, -1), "cut off"],
    ["whose table of segments is cut off", program(MACHINES.x64).subarray(0, HEADER_BYTES + 8), "cut off"],
  ])("%s is refused", (_, bytes, reason) => {
    expect(() => verifyHost(staged(x64, bytes), x64)).toThrow(reason);
  });

  it("that is not the file which was built is refused", () => {
    expect(() => verifyHost(staged(x64, undefined, "0".repeat(64)), x64)).toThrow("`.sha256`");
  });

  it("has what it needs before the end of its dynamic section only", () => {
    expect(readProgram(program(MACHINES.x64, DYNAMIC, [0n, NEEDED])).isStatic).toBe(true);
  });
});
