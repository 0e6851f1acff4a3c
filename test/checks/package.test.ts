/** What `npm run package` makes of the workspace's manifests. The whole, with a real install, is that command itself. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { currentTarget } from "../../packages/natives/src/target.ts";
import { DRIVER_PACKAGE } from "../../scripts/package/driver.mjs";
import { HOST_TARGETS, hostPackageOf } from "../../scripts/package/pi-host.mjs";
import { tryTour } from "../../scripts/package/project.mjs";
import { publishedManifest, publishedPackages } from "../../scripts/package/stage.mjs";
import { ownTarget, packageOf, TARGETS } from "../../scripts/package/targets.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly files: readonly string[];
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest;
}

/** What a package offers that is there in part without it. */
const OFFERED = {
  "@pi-bash/natives": [...TARGETS.map(packageOf), DRIVER_PACKAGE],
  "@pi-bash/places": HOST_TARGETS.map(hostPackageOf),
};

const published = publishedPackages(root).map((name: string) => publishedManifest(manifestOf(name)) as Manifest);

describe("a published manifest", () => {
  it("asks for our own packages in exactly its own version", () => {
    const ranges = published.flatMap(({ version, dependencies = {} }) =>
      Object.entries(dependencies)
        .filter(([name]) => name.startsWith("@pi-bash/"))
        .map(([, range]) => [range, version]),
    );

    expect(ranges.length).toBeGreaterThan(5);
    for (const [range, version] of ranges) expect(range).toBe(version);
  });

  it("has no entry that points at sources, and none of what only the workspace needs", () => {
    for (const manifest of published) {
      expect(JSON.stringify(manifest)).not.toContain("./src/");
      expect(manifest.devDependencies).toBeUndefined();
    }
  });

  it("offers packages with binaries in its own version, and asks for none of them", () => {
    for (const { name, version, optionalDependencies, dependencies = {} } of published) {
      const offered = Object.entries(OFFERED).find(([owner]) => owner === name)?.[1];
      const expected = offered && Object.fromEntries(offered.map((other: string) => [other, version]));
      expect(optionalDependencies, name).toEqual(expected);
      for (const binaries of Object.values(OFFERED).flat()) expect(dependencies, name).not.toHaveProperty(binaries);
    }
    expect(Object.keys(OFFERED).every((owner) => published.some(({ name }) => name === owner))).toBe(true);
  });

  it("of the program asks for places in its own version", () => {
    const cli = published.find(({ name }) => name === "@pi-bash/cli");

    expect(cli?.dependencies).toHaveProperty("@pi-bash/places", cli?.version);
  });
});

describe("the versions", () => {
  it("of the crates and of all packages are one", () => {
    const crates = /^version = "(.+)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"))?.[1];

    const driver = JSON.parse(readFileSync(join(root, "bash-driver", "package.json"), "utf8")) as Manifest;
    const packages = [...published, driver];

    expect(new Set(packages.map(({ version }) => version))).toEqual(new Set([crates]));
  });
});

describe("the target of this machine", () => {
  it("is named alike by the packer and by the loader", () => {
    expect(ownTarget()?.name).toBe(currentTarget());
  });

  it("has a README in every package that is published", () => {
    const bare = publishedPackages(root).filter(
      (name: string) => !existsSync(join(root, "packages", name, "README.md")),
    );

    expect(bare).toEqual([]);
  });
});

describe("the tour in a project", () => {
  const KEPT = "ok       persistent session  one bash keeps its state between commands\n";
  const NOT_KEPT = "limited  persistent session  not here\n";
  const REFUSAL = "pi-bash: the tour needs a persistent session; `pi-bash doctor` says what is missing";

  /** Words that start a program which prints `text` for the tour and ends with `status`. */
  function printing(text: string, status: number): string[] {
    const folder = mkdtempSync(join(tmpdir(), "pi-bash-tour-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = join(folder, "program.mjs");
    writeFileSync(program, `console.log(${JSON.stringify(text)}); process.exitCode = ${status};\n`);
    return [process.execPath, program];
  }

  it("has to hold its claims where the doctor knows of sessions that are kept", () => {
    expect(tryTour(printing("3 of 3 claims held", 0), root, KEPT)).toBe("tour: 3 of 3 claims held");
    expect(() => tryTour(printing("2 of 3 claims held", 0), root, KEPT)).toThrow("claims");
    expect(() => tryTour(printing(REFUSAL, 1), root, KEPT)).toThrow("ended with 1");
  });

  it("has to refuse, and to name the doctor, where it knows of none", () => {
    expect(tryTour(printing(REFUSAL, 1), root, NOT_KEPT)).toBe("tour: refused, no session is kept");
    expect(() => tryTour(printing("3 of 3 claims held", 0), root, NOT_KEPT)).toThrow("it ran");
    expect(() => tryTour(printing("broken", 1), root, NOT_KEPT)).toThrow("broken");
  });
});
