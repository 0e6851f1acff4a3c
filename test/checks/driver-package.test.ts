/** The package of the bash driver: what is in it, who gets it, and what an object must be to get in. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { binariesOfRelease } from "../../scripts/package/binaries.mjs";
import {
  crossBuilt,
  DRIVER_PACKAGE,
  DRIVER_TARGETS,
  driverFor,
  objectOf,
  verifyDriver,
} from "../../scripts/package/driver.mjs";
import { HOST_TARGETS, hostFilesOf, hostsBuilt } from "../../scripts/package/pi-host.mjs";
import { releaseNames } from "../../scripts/package/registry.mjs";
import { publishedManifest, stageDriver } from "../../scripts/package/stage.mjs";
import { ownTarget, TARGETS } from "../../scripts/package/targets.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The object of a checkout, which `npm run build:native` makes; none on other systems. */
const built = join(root, "packages", "natives", "bin", "pi-driver.so");
const own = driverFor(ownTarget() ?? { os: "none" });
const isBuilt = own !== undefined && existsSync(built);
const COMPILE_LIMIT_MS = 60_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pi-bash-driver-package-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function write(path: string, contents: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

/** A folder as `--binaries bash-driver` leaves it, with `contents` for every object. */
function objects(contents: string | Buffer) {
  const made = crossBuilt(folder());
  for (const { folder: place } of made) write(join(place, "pi-driver.so"), contents);
  return made;
}

/** Stages the package with objects that only have a name. */
function staged(): string {
  return stageDriver(root, folder(), objects("no object\n"));
}

/** Stages the package with one object of this machine's, changed by `change`; returns what the check says of it. */
function checked(change: (bytes: Buffer) => Buffer): string {
  if (own === undefined) throw new Error("there is no driver for this system");
  const place = folder();
  write(join(place, "pi-driver.so"), change(readFileSync(built)));
  return verifyDriver(stageDriver(root, folder(), [{ driver: own, folder: place }]), [own]);
}

/** Puts a name of the same length in the place of another. */
function renamed(bytes: Buffer, from: string, to: string): Buffer {
  const at = bytes.indexOf(`\0${from}\0`);
  expect(at).toBeGreaterThan(0);
  expect(to).toHaveLength(from.length);
  const copy = Buffer.from(bytes);
  copy.write(to, at + 1, "latin1");
  return copy;
}

describe("the package of the bash driver", () => {
  it("has an object for each architecture of Linux, and an entry for each object", () => {
    const manifest = JSON.parse(readFileSync(join(staged(), "package.json"), "utf8"));
    const linux = TARGETS.filter(({ os }) => os === "linux");

    expect(DRIVER_TARGETS.map(({ cpu }) => cpu)).toEqual([...new Set(linux.map(({ cpu }) => cpu))]);
    expect(manifest.exports).toEqual({
      ...Object.fromEntries(DRIVER_TARGETS.map((driver) => [`./${driver.name}`, `./${objectOf(driver)}`])),
      "./package.json": "./package.json",
    });
    expect(manifest.cpu).toEqual(DRIVER_TARGETS.map(({ cpu }) => cpu));
    expect(manifest.os).toEqual(["linux"]);
    expect(manifest.preferUnplugged).toBe(true);
  });

  it("has in the workspace the entries that it is published with", () => {
    const manifest = JSON.parse(readFileSync(join(root, "bash-driver", "package.json"), "utf8"));

    expect(publishedManifest(manifest).exports).toEqual(
      JSON.parse(readFileSync(join(staged(), "package.json"), "utf8")).exports,
    );
    // A checkout on another system would not install: npm asks a workspace for its system as well.
    expect(manifest).not.toHaveProperty("os");
    expect(manifest).not.toHaveProperty("cpu");
  });

  it("is packed with its licence, its notice, all of its source and what builds it", () => {
    const [packed] = JSON.parse(
      execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], {
        cwd: staged(),
        encoding: "utf8",
        shell: process.platform === "win32",
      }),
    );
    const paths: string[] = packed.files.map(({ path }: { path: string }) => path);
    const sources = readdirSync(join(root, "bash-driver", "src")).map((name) => `src/${name}`);

    expect(packed.name).toBe(DRIVER_PACKAGE);
    expect(paths.filter((path) => !path.startsWith("docs/")).sort()).toEqual(
      [
        ...["LICENSE", "NOTICE", "README.md", "build.mjs", "package.json", "protocol.h", "test/client.c"],
        ...DRIVER_TARGETS.map(objectOf),
        ...sources,
      ].sort(),
    );
    expect(paths).toContain("docs/session-protocol.md");
    expect(readFileSync(join(staged(), "README.md"), "utf8")).not.toContain("](../");
    for (const name of ["LICENSE", "NOTICE"])
      expect(readFileSync(join(staged(), name), "utf8")).toBe(readFileSync(join(root, "bash-driver", name), "utf8"));
  });

  it.skipIf(!isBuilt)(
    `builds its object from what it has alone${isBuilt ? "" : " (Linux and a native build only)"}`,
    () => {
      const place = staged();
      const made = folder();
      const { status, stderr } = spawnSync(process.execPath, [join(place, "build.mjs"), made, "--client"], {
        encoding: "utf8",
        timeout: COMPILE_LIMIT_MS,
      });

      expect(stderr).toBe("");
      expect(status).toBe(0);
      expect(readdirSync(made).sort()).toEqual(["client", "pi-driver.so"]);
    },
  );

  it("is found by the loader where it is installed", () => {
    const project = folder();
    const installed = join(project, "node_modules", ...DRIVER_PACKAGE.split("/"));
    mkdirSync(dirname(installed), { recursive: true });
    renameSync(staged(), installed);
    const { resolve } = createRequire(join(project, "index.js"));

    for (const driver of DRIVER_TARGETS)
      expect(resolve(`${DRIVER_PACKAGE}/${driver.name}`)).toBe(join(installed, objectOf(driver)));
  });

  it("is one of those that a release publishes", () => {
    expect(releaseNames(root)).toContain(DRIVER_PACKAGE);
  });
});

describe("the binaries of a release", () => {
  /** All of them, as the jobs of the workflow leave them. */
  function complete(): string {
    const binaries = folder();
    for (const { name } of TARGETS) write(join(binaries, name, "addon"), "");
    for (const { folder: place } of crossBuilt(binaries)) write(join(place, "pi-driver.so"), "");
    for (const { host, folder: place } of hostsBuilt(binaries))
      for (const file of hostFilesOf(host)) write(join(place, file), "");
    return binaries;
  }

  it("are those of every target, every driver and every pi-host", () => {
    const { sources, objects: drivers, hosts } = binariesOfRelease(complete());

    expect(sources.map(({ target }) => target)).toEqual(TARGETS);
    expect(drivers.map(({ driver }) => driver)).toEqual(DRIVER_TARGETS);
    expect(hosts.map(({ host }) => host)).toEqual(HOST_TARGETS);
  });

  const everyName = [
    ...TARGETS.map(({ name }) => name),
    ...DRIVER_TARGETS.map(({ name }) => `bash-driver/${name}`),
    ...HOST_TARGETS.map(({ name }) => `pi-host/${name}`),
  ];
  it.each(everyName)("are refused without those of %s", (missing) => {
    const binaries = complete();
    rmSync(join(binaries, missing), { recursive: true });

    expect(() => binariesOfRelease(binaries)).toThrow(new Error(`no binaries of ${missing}`));
  });
});

describe.skipIf(!isBuilt)(`an object${isBuilt ? "" : " (Linux and a native build only)"}`, () => {
  it("of this checkout gets in", () => {
    expect(checked((bytes) => bytes)).toMatch(/^@pi-bash\/bash-driver: linux-\w+ \d+\.\d kB$/);
  });

  it("of another processor is refused", () => {
    const other = (bytes: Buffer) => {
      const copy = Buffer.from(bytes);
      copy.writeUInt16LE(3, 18);
      return copy;
    };
    expect(() => checked(other)).toThrow("is of the machine 3");
  });

  it("that is not a shared object is refused", () => {
    expect(() => checked(() => Buffer.from("was not built in this rehearsal\n"))).toThrow("not a 64-bit");
  });

  it("that wants a name which not every C library has is refused", () => {
    expect(() => checked((bytes) => renamed(bytes, "lseek", "fstat"))).toThrow("wants `fstat`");
  });

  it("that gives another builtin is refused", () => {
    expect(() => checked((bytes) => renamed(bytes, "pi_driver_struct", "pi_other_struct_"))).toThrow(
      "gives the names pi_other_struct_",
    );
  });

  it("that needs a library is refused", () => {
    const place = folder();
    const source = join(place, "needing.c");
    write(source, 'int puts(const char *); int pi_driver_struct(void) { return puts("x"); }');
    const made = join(place, "needing.so");
    const { status } = spawnSync("cc", ["-shared", "-fPIC", "-o", made, source], { timeout: COMPILE_LIMIT_MS });
    expect(status).toBe(0);

    expect(() => checked(() => readFileSync(made))).toThrow("needs the library libc");
  });
});
