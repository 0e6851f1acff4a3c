/** What a person reads when there is no addon for their platform. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { addonInfo, loadBinding } from "../src/binding.ts";
import { NativeLoadError } from "../src/native-load-error.ts";
import { currentTarget } from "../src/target.ts";

function failureOf(load: () => unknown): NativeLoadError {
  try {
    load();
  } catch (error) {
    if (error instanceof NativeLoadError) return error;
  }
  throw new Error("loading succeeded, or failed with another error");
}

describe("loading the addon", () => {
  it("names every place it looked in, and what to do", () => {
    const folder = scratchFolder();

    const error = failureOf(() =>
      loadBinding({ target: "plan9-mips", folder, packageName: "@pi-bash/natives-plan9-mips" }),
    );

    expect(error.code).toBe("PI_NATIVE_LOAD");
    expect(error.attempts).toEqual([
      { place: join(folder, "pi-natives.plan9-mips.node"), reason: "no such file" },
      { place: "@pi-bash/natives-plan9-mips", reason: "not installed" },
    ]);
    for (const { place } of error.attempts) expect(error.message).toContain(place);
    expect(error.message).toContain("npm run build:native");
  });

  it("keeps the loader's own words about a file that is no addon, and its error as the cause", () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "pi-natives.broken.node"), "not an ELF file");

    const error = failureOf(() => loadBinding({ target: "broken", folder, packageName: "@pi-bash/natives-broken" }));

    expect(error.attempts[0]?.reason).not.toBe("no such file");
    expect(error.cause).toBeInstanceOf(Error);
  });

  it("says of a folder in the addon's place that it cannot be loaded", () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "pi-natives.folder.node"));

    const error = failureOf(() => loadBinding({ target: "folder", folder, packageName: "@pi-bash/natives-folder" }));

    expect(error.attempts).toHaveLength(2);
  });

  it("finds the supervisor beside the addon", () => {
    const folder = join(import.meta.dirname, "..", "bin");

    const binding = loadBinding({ target: currentTarget(), folder, packageName: "@pi-bash/natives-none" });

    expect(binding.supervisor).toBe(join(folder, "pi-supervisor"));
  });

  // The stand-in is put in by `require.extensions`, which Bun does not have.
  it.skipIf("bun" in process.versions)("refuses an addon of another version, and says which", () => {
    const folder = scratchFolder();
    // The loader takes any file that Node can `require`: this one is a stand-in for a build of last year.
    writeFileSync(join(folder, "pi-natives.old.node"), "");
    const extension = createRequire(import.meta.url).extensions;
    const original = extension[".node"];
    extension[".node"] = (module) => {
      module.exports = { version: () => "0.0.1" };
    };
    try {
      const error = failureOf(() => loadBinding({ target: "old", folder, packageName: "@pi-bash/natives-old" }));

      expect(error.attempts[0]?.reason).toMatch(/^it is version 0\.0\.1, and `@pi-bash\/natives` is \d+\.\d+\.\d+/);
    } finally {
      if (original) extension[".node"] = original;
    }
  });

  it("says of a supervisor that lost its run bit what to do", () => {
    const folder = scratchFolder();
    const bin = join(import.meta.dirname, "..", "bin");
    copyFileSync(join(bin, `pi-natives.${currentTarget()}.node`), join(folder, `pi-natives.${currentTarget()}.node`));
    copyFileSync(join(bin, "pi-supervisor"), join(folder, "pi-supervisor"));
    chmodSync(join(folder, "pi-supervisor"), 0o644);

    const error = failureOf(() =>
      loadBinding({ target: currentTarget(), folder, packageName: "@pi-bash/natives-none" }),
    );

    expect(error.attempts[0]?.reason).toContain("chmod +x");
  });

  it("tells which addon is in use", () => {
    expect(addonInfo()).toMatchObject({ target: currentTarget(), version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(existsSync(addonInfo().path)).toBe(true);
  });

  it("names the target as the build names its file", () => {
    expect(currentTarget()).toMatch(/^(linux-(x64|arm64)-(gnu|musl)|darwin-(x64|arm64)|win32-(x64|arm64))$/);
  });

  it("imports nothing but Node and entries without schemas: their library would take longer to load than all the rest", () => {
    const built = buildSync({
      entryPoints: [join(import.meta.dirname, "..", "src", "index.ts")],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
    });

    const foreign = Object.keys(built.metafile.inputs).filter((path) => !path.startsWith("packages/natives/src/"));
    expect(foreign.sort()).toEqual(
      ["abort", "nearest-names", "unknown-option"].map((name) => `packages/contract/dist/${name}.js`),
    );
  });
});
