/**
 * The laws of the Rust half: who may depend on napi and tokio, and where unsafe code may stand.
 *
 * Direct dependencies come from `cargo metadata`, what they bring along from `Cargo.lock`: both answer without network.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Crate {
  name: string;
  dependencies: { name: string; kind: string | null; features: string[]; uses_default_features: boolean }[];
}

function workspaceCrates(): Crate[] {
  const metadata = execFileSync("cargo", ["metadata", "--no-deps", "--offline", "--format-version", "1"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
  });
  return (JSON.parse(metadata) as { packages: Crate[] }).packages;
}

/** What each package of the lock file depends on, by name; several versions of one name are taken together. */
function lockedDependencies(): Map<string, Set<string>> {
  const locked = new Map<string, Set<string>>();
  for (const entry of readFileSync(join(root, "Cargo.lock"), "utf8").split("[[package]]").slice(1)) {
    const name = /^name = "(.+)"$/m.exec(entry)?.[1] ?? "";
    const list = /^dependencies = \[([^\]]*)\]/m.exec(entry)?.[1] ?? "";
    const known = locked.get(name) ?? new Set<string>();
    for (const [, dependency] of list.matchAll(/"([^" ]+)[^"]*"/g)) if (dependency) known.add(dependency);
    locked.set(name, known);
  }
  return locked;
}

/** Everything a crate's program is made of: not what its tests and its build script use. */
function closure(crate: Crate, crates: Crate[], locked: Map<string, Set<string>>): Set<string> {
  const seen = new Set<string>();
  const waiting = crate.dependencies.filter(({ kind }) => kind === null).map(({ name }) => name);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const ours = crates.find((candidate) => candidate.name === name);
    const next = ours
      ? ours.dependencies.filter(({ kind }) => kind === null).map((found) => found.name)
      : locked.get(name);
    waiting.push(...(next ?? []));
  }
  return seen;
}

interface CrateRow {
  crate: string;
  dependencies: string[];
  never: string[];
}

/** The table of crates as ARCHITECTURE.md shows it. */
function crateTable(): CrateRow[] {
  const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const [, table = ""] = page.split(/^\| crate \|.*\n\|[-|]+\n/m);
  const [rows = ""] = table.split("\n\n");
  const names = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  return rows.split("\n").map((row) => {
    const [, crate, dependencies, never] = row.split("|");
    return { crate: names(crate)[0] ?? row, dependencies: names(dependencies), never: names(never) };
  });
}

const crates = workspaceCrates();
const locked = lockedDependencies();
const everythingUnder = (name: string): string[] => {
  const crate = crates.find((candidate) => candidate.name === name);
  if (!crate) throw new Error(`no crate named \`${name}\``);
  return [...closure(crate, crates, locked)].sort();
};

/** What a crate's manifest names, without what its tests and its build script use. */
const direct = (name: string): string[] =>
  (crates.find((candidate) => candidate.name === name)?.dependencies ?? [])
    .filter(({ kind }) => kind === null)
    .map((dependency) => dependency.name)
    .sort();

describe("crates", () => {
  it("have napi under pi-natives and nowhere else", () => {
    const withNapi = crates.filter(({ name }) => everythingUnder(name).includes("napi")).map(({ name }) => name);

    expect(withNapi).toEqual(["pi-natives"]);
  });

  it("keep the supervisor and the minimizer free of tokio", () => {
    expect(everythingUnder("pi-supervisor")).not.toContain("tokio");
    expect(everythingUnder("pi-minimizer")).not.toContain("tokio");
    expect(everythingUnder("pi-shell")).toContain("tokio"); // Else this test has gone blind.
  });

  it("keep the session core free of the minimizer, and the minimizer of the session core", () => {
    expect(everythingUnder("pi-shell")).not.toContain("pi-minimizer");
    expect(everythingUnder("pi-minimizer")).not.toContain("pi-shell");
  });

  it("keep the proxy free of every other crate of ours", () => {
    const under = everythingUnder("pi-proxy");

    expect(under.filter((name) => name.startsWith("pi-"))).toEqual([]);
    expect(everythingUnder("pi-shell")).toContain("pi-proxy"); // Else this test has gone blind.
  });

  it("keep the supervisor small: libc, rustix and what these need", () => {
    const allowed = new Set(["bitflags", "cfg-if", "errno", "libc", "linux-raw-sys", "rustix"]);
    const more = everythingUnder("pi-supervisor").filter((name) => !allowed.has(name) && !/^windows/.test(name));

    expect(more).toEqual([]);
  });

  it("have the engine as a program without napi and the minimizer", () => {
    const under = everythingUnder("pi-host");

    expect(under).not.toContain("napi");
    expect(under).not.toContain("pi-minimizer");
    expect(under).toContain("pi-shell"); // Else this test has gone blind.
  });

  it("depend on what ARCHITECTURE.md says, and on nothing else", () => {
    const shown = crateTable().map(({ crate, dependencies }) => ({ crate, dependencies: dependencies.toSorted() }));
    const real = crates.map(({ name }) => ({ crate: name, dependencies: direct(name) }));

    const byName = (one: { crate: string }, other: { crate: string }) => one.crate.localeCompare(other.crate);
    expect(shown.toSorted(byName)).toEqual(real.toSorted(byName));
  });

  it("have nothing below them that ARCHITECTURE.md rules out", () => {
    const broken = crateTable().flatMap(({ crate, never }) =>
      never.filter((name) => everythingUnder(crate).includes(name)).map((name) => `${crate}: ${name}`),
    );

    expect(broken).toEqual([]);
    expect(crateTable().flatMap(({ never }) => never).length).toBeGreaterThan(5); // Else this test has gone blind.
  });

  it("have the supervisor's program in executables that can be started as one, and in no host", () => {
    const asking = crates.filter(({ dependencies }) =>
      dependencies.some(
        ({ name, features, uses_default_features }) =>
          name === "pi-supervisor" && (uses_default_features || features.includes("program")),
      ),
    );

    expect(asking.map(({ name }) => name)).toEqual(["pi-host"]);
  });

  it("have unsafe code in `sys/` folders and in the supervisor only", () => {
    const sources = readdirSync(join(root, "crates"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".rs"),
    );
    const withUnsafe = sources.filter((name) => {
      const code = readFileSync(join(root, "crates", name), "utf8").replaceAll(/\/\/.*$|"(?:[^"\\\n]|\\.)*"/gm, "");
      return /\bunsafe\b\s*(?:\{|fn\b|impl\b|extern\b|trait\b)/.test(code);
    });
    const misplaced = withUnsafe.filter((name) => !/(^|[\\/])sys[\\/]|^pi-supervisor[\\/]|[\\/]sys\.rs$/.test(name));

    expect(misplaced).toEqual([]);
    expect(withUnsafe.length).toBeGreaterThan(0); // Else this test has gone blind.
  });
});
