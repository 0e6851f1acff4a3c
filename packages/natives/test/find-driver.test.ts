/** Where the bash driver is found, and what is said where sessions cannot have one. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { findDriver } from "../src/find-driver.ts";
import { unpackDriver } from "../src/unpack-driver.ts";

/** Looks from a file in `project`, whose addon is in the folder `addon`. */
function search(project: string, { platform = "linux", arch = "x64", isElectron = false } = {}) {
  const { resolve } = createRequire(join(project, "index.js"));
  const folder = join(project, "addon");
  return findDriver({ folder, platform, arch, isElectron, resolve: (entry) => resolve(entry), unpack: notUnpacked });
}

/** Makes a folder with this mode, whatever the umask. */
function mkdirWith(mode: number, folder: string): void {
  mkdirSync(folder);
  chmodSync(folder, mode);
}

function notUnpacked(): string {
  throw new Error("no room");
}

function write(path: string, text = ""): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Installs a package with the driver for x64, as its published manifest has it. */
function install(project: string): string {
  const folder = join(project, "node_modules", "@pi-bash", "bash-driver");
  const exports = { "./linux-x64": "./bin/linux-x64/pi-driver.so" };
  write(join(folder, "package.json"), JSON.stringify({ name: "@pi-bash/bash-driver", exports }));
  return write(join(folder, "bin", "linux-x64", "pi-driver.so"));
}

describe("the bash driver", () => {
  it("is the one beside the addon, before that of the package", () => {
    const project = scratchFolder();
    install(project);
    const path = write(join(project, "addon", "pi-driver.so"));

    expect(search(project)).toEqual({ kind: "file", path });
  });

  it("is found in its package, by the processor", () => {
    const project = scratchFolder();
    const path = install(project);

    expect(search(project)).toEqual({ kind: "file", path });
  });

  it("is absent where its package was left out, has no object for the processor, or the system is another", () => {
    const project = scratchFolder();

    expect(search(project)).toEqual({ kind: "absent", reason: "`@pi-bash/bash-driver` is not installed" });
    expect(search(project, { platform: "darwin" })).toMatchObject({
      kind: "absent",
      reason: expect.stringContaining("Linux only"),
    });
    install(project);
    const reason = "`@pi-bash/bash-driver` has no driver for riscv64";
    // Bun gives the same error for a package that is missing and for an entry that is.
    if (!("bun" in process.versions)) expect(search(project, { arch: "riscv64" })).toEqual({ kind: "absent", reason });
  });

  it("in an archive is unpacked", () => {
    const zip = write(join(scratchFolder(), ".yarn", "driver-0.1.0.zip"));
    const none = { folder: "/nowhere", platform: "linux", arch: "x64", isElectron: false };
    for (const path of [join(zip, "node_modules", "pi-driver.so"), "/$bunfs/root/pi-driver.so"]) {
      const unpack = (archived: string) => `/unpacked${archived}`;

      expect(findDriver({ ...none, resolve: () => path, unpack })).toEqual({ kind: "file", path: `/unpacked${path}` });
    }
  });

  it("in an archive that cannot be unpacked is not given to sessions, and the archive is named", () => {
    const project = scratchFolder();
    // What Plug'n'Play resolves to: a path below a file.
    const zip = write(join(project, ".yarn", "driver-0.1.0.zip"));
    const inZip = join(zip, "node_modules", "pi-driver.so");
    const none = { folder: project, platform: "linux", arch: "x64", isElectron: false, unpack: notUnpacked };
    // Electron shows its archive as a folder.
    const asar = join(project, "resources", "app.asar");
    const inAsar = install(asar);

    for (const [archive, path, found] of [
      [zip, inZip, findDriver({ ...none, resolve: () => inZip })],
      [asar, inAsar, search(asar, { isElectron: true })],
    ] as const) {
      expect(found).toMatchObject({ kind: "archived", path });
      expect("reason" in found && found.reason).toContain(
        `\`${archive}\`, from which bash cannot load it, and cannot be unpacked (no room)`,
      );
    }
  });

  it("in a folder that has the name of an archive is a file like any other", () => {
    const project = join(scratchFolder(), "unpacked.zip");
    const path = install(project);

    expect(search(project)).toEqual({ kind: "file", path });
  });

  it("is the copy that Electron's packers leave beside an archive", () => {
    const project = scratchFolder();
    const packed = join(project, "resources", "app.asar");
    install(packed);
    const path = install(`${packed}.unpacked`);

    expect(search(packed, { isElectron: true })).toEqual({ kind: "file", path });
  });
});

describe.skipIf(process.platform === "win32")("an unpacked driver", () => {
  const bytes = Buffer.from("the object");

  it("has the bytes of the packed one and is this user's alone, whatever the umask", () => {
    const base = scratchFolder();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));

    const path = unpackDriver(bytes, base);

    expect(readFileSync(path)).toEqual(bytes);
    expect(statSync(path).mode & 0o777).toBe(0o400);
    for (let folder = dirname(path); folder !== base; folder = dirname(folder)) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it("is used again, and made again where it was changed", () => {
    const base = scratchFolder();
    const path = unpackDriver(bytes, base);
    const { ino } = statSync(path);
    expect(unpackDriver(bytes, base)).toBe(path);
    expect(statSync(path).ino).toBe(ino);
    const other = join(base, "other");
    writeFileSync(other, bytes);
    const link = () => {
      rmSync(path);
      symlinkSync(other, path);
    };
    for (const spoil of [
      () => writeFileSync(path, "the 0bject"),
      () => chmodSync(path, 0o422),
      () => rmSync(path),
      link,
    ]) {
      chmodSync(path, 0o600);
      spoil();

      expect(unpackDriver(bytes, base)).toBe(path);
      expect(lstatSync(path).isFile()).toBe(true);
      expect([readFileSync(path), statSync(path).mode & 0o777]).toEqual([bytes, 0o400]);
    }
  });

  it("is not put into a folder that others can write, that is a link, or that is not one", () => {
    for (const [spoil, reason] of [
      [(folder: string) => mkdirWith(0o777, folder), "others have rights in"],
      [(folder: string) => symlinkSync(scratchFolder(), folder), "is not a folder"],
      [(folder: string) => writeFileSync(folder, ""), "is not a folder"],
    ] as const) {
      const base = scratchFolder();
      spoil(join(base, `pi-bash-${process.getuid?.()}`));

      expect(() => unpackDriver(bytes, base)).toThrow(reason);
    }
  });
});
