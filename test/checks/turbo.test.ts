/** What turbo builds again after a change, and what a cached build must fit: the graph of `turbo.json`. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sourceFiles, writeToolchainKey } from "../../scripts/native/key.mjs";
import { isBuilt, removeUnfitting } from "../../scripts/native/stamp.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TURBO = join(root, "node_modules", "turbo", "bin", "turbo");
/** A dry run of a second, on a machine that has other work. */
const RUN_LIMIT_MS = 60_000;

const FILES = [
  ...["turbo.json", "package.json", "package-lock.json", "Cargo.toml", "Cargo.lock", "tsconfig.base.json"],
  ...["tsconfig.build.json", "bash-driver", "crates", "packages", "benchmarks/package.json", "scripts", ".gitignore"],
];
const NOT_COPIED = new Set(["node_modules", "dist", "bin", "target"]);

/** A copy of what turbo looks at, without git: what an unpacked archive of the sources is. */
let copy = "";

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "pi-bash-turbo-"));
  for (const file of FILES)
    cpSync(join(root, file), join(copy, file), { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  writeToolchainKey(copy);
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

interface Task {
  readonly task: string;
  readonly hash: string;
  readonly inputs: Record<string, string>;
  readonly dependencies: readonly string[];
  readonly outputs: readonly string[] | null;
}

/** What turbo would do for some tasks, by the name of each task. */
function plan(tasks: readonly string[], env: Record<string, string> = {}): Map<string, Task> {
  const { stdout, stderr } = spawnSync(process.execPath, [TURBO, "run", ...tasks, "--dry-run=json"], {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", TURBO_HASH: undefined, ...env },
    timeout: RUN_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  const at = stdout.indexOf("{");
  if (at === -1) throw new Error(`turbo answered: ${stdout}${stderr}`);
  const { tasks: planned } = JSON.parse(stdout.slice(at)) as { tasks: Task[] };
  return new Map(planned.map((task) => [task.task, task]));
}

/** The tasks that a change of a file runs again; the file is put back. */
function againAfter(path: string, text: string): string[] {
  const before = plan(["build"]);
  const old = readFileSync(join(copy, path), "utf8");
  appendFileSync(join(copy, path), text);
  const after = plan(["build"]);
  writeFileSync(join(copy, path), old);
  return [...after.keys()].filter((name) => after.get(name)?.hash !== before.get(name)?.hash).sort();
}

describe("the graph", () => {
  it("builds the native half, then the packages, and only then what needs both", () => {
    const tasks = plan(["build", "test", "bench", "package", "lint"]);
    const needs = Object.fromEntries([...tasks].map(([name, { dependencies }]) => [name, dependencies]));

    expect(needs).toEqual({
      native: [],
      build: ["//#native"],
      test: ["//#build"],
      bench: ["//#build"],
      package: ["//#build"],
      lint: [],
    });
    expect(tasks.get("native")?.outputs).toEqual(["packages/natives/bin/**"]);
  });
});

describe("a change", () => {
  it("of a crate's source or manifest builds the addon and what needs it", () => {
    expect(againAfter("crates/pi-shell/src/lib.rs", "\n// changed\n")).toEqual(["build", "native"]);
    expect(againAfter("crates/pi-supervisor/Cargo.toml", "\n# changed\n")).toEqual(["build", "native"]);
    expect(againAfter("crates/pi-minimizer/rules/bundlers.toml", "\n# changed\n")).toEqual(["build", "native"]);
  });

  it("of TypeScript compiles no Rust", () => {
    expect(againAfter("packages/natives/src/index.ts", "\n// changed\n")).toEqual(["build"]);
    expect(againAfter("packages/cli/src/main.ts", "\n// changed\n")).toEqual(["build"]);
    expect(againAfter("packages/tool/tsconfig.json", "\n")).toEqual(["build"]);
  });

  it("of tests, examples and documents builds nothing", () => {
    expect(againAfter("crates/pi-minimizer/tests/golden.rs", "\n// changed\n")).toEqual([]);
    expect(againAfter("crates/pi-shell/examples/run.rs", "\n// changed\n")).toEqual([]);
    expect(againAfter("packages/natives/README.md", "\nchanged\n")).toEqual([]);
  });
});

describe("a cached addon", () => {
  it("is that of the compiler, the system, the profile and the flags", () => {
    const hashOf = (env: Record<string, string> = {}) => plan(["native"], env).get("native")?.hash;
    const plain = hashOf({ PI_BASH_CARGO_PROFILE: "", RUSTFLAGS: "" });

    expect(hashOf({ PI_BASH_CARGO_PROFILE: "", RUSTFLAGS: "" })).toBe(plain);
    expect(hashOf({ PI_BASH_CARGO_PROFILE: "dev", RUSTFLAGS: "" })).not.toBe(plain);
    expect(hashOf({ PI_BASH_CARGO_PROFILE: "", RUSTFLAGS: "-C opt-level=1" })).not.toBe(plain);
    const key = join(copy, ".turbo", "toolchain.json");
    const own = readFileSync(key, "utf8");
    expect(own).toContain("rustc");
    writeFileSync(key, own.replace(process.arch, "another"));
    expect(hashOf({ PI_BASH_CARGO_PROFILE: "", RUSTFLAGS: "" })).not.toBe(plain);
    writeToolchainKey(copy);
    expect(hashOf({ PI_BASH_CARGO_PROFILE: "", RUSTFLAGS: "" })).toBe(plain);
  });

  it("is known by turbo and by the native build of the same files", () => {
    const inputs = Object.keys(plan(["native"]).get("native")?.inputs ?? {});
    const ofTurbo = inputs.filter((path) => !["package.json", "turbo.json", ".turbo/toolchain.json"].includes(path));

    expect(ofTurbo.length).toBeGreaterThan(150);
    expect(ofTurbo.sort()).toEqual(sourceFiles(copy));
  });

  it("never takes the place of one in use: binaries of other sources go before a cache is asked", () => {
    const bin = join(copy, "packages", "natives", "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "addon.node"), "old");
    writeFileSync(join(bin, "build.json"), JSON.stringify({ digest: "old", files: ["addon.node"] }));
    const inUse = openSync(join(bin, "addon.node"), "r");
    try {
      removeUnfitting(copy, "old");
      expect(isBuilt(copy, "old")).toBe(true);
      removeUnfitting(copy, "new");
      expect(isBuilt(copy, "old")).toBe(false);
      mkdirSync(bin);
      writeFileSync(join(bin, "addon.node"), "new");

      expect(readFileSync(inUse, "utf8")).toBe("old");
    } finally {
      closeSync(inUse);
    }
  });
});
