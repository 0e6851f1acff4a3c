/** Where the bash driver is found, and what is said where sessions cannot have one. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { findDriver } from "../src/find-driver.ts";

/** Looks on Linux from a file in `project`, with the addon in a folder that has no driver unless `beside` is given. */
function search(project: string, { beside = join(project, "addon"), platform = "linux", arch = "x64" } = {}) {
  const { resolve } = createRequire(join(project, "index.js"));
  return findDriver({ folder: beside, platform, arch, resolve: (entry) => resolve(entry) });
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

  it("in an archive is not given to sessions, and the archive is named", () => {
    const project = scratchFolder();
    for (const archive of [join(project, ".yarn", "driver-0.1.0.zip"), join(project, "resources", "app.asar")]) {
      const path = install(archive);
      const found = search(archive);

      expect(found).toMatchObject({ kind: "archived", path });
      expect("reason" in found && found.reason).toContain(`\`${archive}\`, from which bash cannot load it`);
    }
  });

  it("is the copy that Electron's packers leave beside an archive", () => {
    const project = scratchFolder();
    const packed = join(project, "resources", "app.asar");
    install(packed);
    const path = install(`${packed}.unpacked`);

    expect(search(packed)).toEqual({ kind: "file", path });
  });
});
