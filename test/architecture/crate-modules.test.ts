/**
 * The direction inside each crate: what its modules at the top use of each other has no circle. Their folders' insides are
 * their own matter.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const crates = fileURLToPath(new URL("../../crates", import.meta.url));

/** Files that are compiled for tests only. */
const TESTS = /(?:^|\/)(?:tests|cases|laws|\w+_cases|\w+_tests)\.rs$/;
/** Roots of a crate: they name every module, and no module names them. */
const ROOTS: readonly string[] = ["lib.rs", "main.rs"];

/** What a file says without comments and the tests at its end. */
function code(path: string): string {
  const [text = ""] = readFileSync(path, "utf8").split(/#\[cfg\(test\)\]\s*mod tests \{/);
  return text.replaceAll(/\/\/.*/g, "");
}

/**
 * Which of our modules at the top a text uses, by their names or by those that the root passes on; `isTop`: its file stands
 * there, and `super` is the crate.
 */
function used(text: string, passed: ReadonlyMap<string, string>, isTop: boolean): Set<string> {
  const crate = isTop ? /(?:\bcrate|(?<!::)\bsuper)::(?:\{([^}]*)\}|(\w+))/g : /\bcrate::(?:\{([^}]*)\}|(\w+))/g;
  const names = [...text.matchAll(crate)].flatMap(([, list, one]) =>
    one === undefined ? [...(list ?? "").matchAll(/(?:^|,)\s*(\w+)/g)].map((name) => name[1] ?? "") : [one],
  );
  return new Set(names.flatMap((name) => passed.get(name) ?? []));
}

/** The modules of a crate by their names, and by those that its root passes on: `crate::Name` is one of theirs. */
function passedOn(source: string, modules: ReadonlySet<string>): Map<string, string> {
  const roots = ROOTS.filter((name) => existsSync(join(source, name)));
  const uses = roots.flatMap((name) => [
    ...code(join(source, name)).matchAll(/\buse (?:self::|crate::)?(\w+)::(?:\w+::)*(?:\{([^}]*)\}|(\w+));/g),
  ]);
  const ours = uses.filter(([, module = ""]) => modules.has(module));
  const passed = ours.flatMap(([, module = "", list, one = ""]) =>
    [...(list ?? one).matchAll(/\w+/g)].map(([name]): [string, string] => [name, module]),
  );
  return new Map([...passed, ...[...modules].map((name): [string, string] => [name, name])]);
}

/** Each module at the top of a crate, and those that it uses. */
function graph(crate: string): Map<string, Set<string>> {
  const source = join(crates, crate, "src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".rs") && !ROOTS.includes(path) && !TESTS.test(path));
  const topOf = (path: string) => path.replace(/(?:\/.*|\.rs)$/, "");
  const modules = new Set(files.map(topOf));
  const found = new Map([...modules].map((name) => [name, new Set<string>()]));
  const passed = passedOn(source, modules);
  for (const path of files) {
    const names = used(code(join(source, path)), passed, /^\w+(?:\/mod)?\.rs$/.test(path));
    for (const name of names) if (name !== topOf(path)) found.get(topOf(path))?.add(name);
  }
  return found;
}

/** Takes away what uses nothing that is left, until nothing more goes: what stays is in a circle, or uses one. */
function inCircles(uses: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const left = new Map(uses);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [name, names] of left) if (![...names].some((other) => left.has(other))) left.delete(name);
  }
  return [...left.keys()].sort();
}

describe.each(readdirSync(crates))("the modules of %s", (crate) => {
  it("use each other in one direction", () => {
    expect(inCircles(graph(crate))).toEqual([]);
  });
});

it("all modules are seen, and a circle among them would be", () => {
  const uses = graph("pi-shell");

  expect(uses.get("session")).toContain("inline");
  expect(uses.get("late")).toContain("delivery");
  expect(uses.size).toBeGreaterThan(15);
  expect(inCircles(new Map([...uses, ["delivery", new Set(["late"])]]))).toEqual(
    expect.arrayContaining(["delivery", "late"]),
  );
});

it("what a file at the top uses by `super` counts, too", () => {
  expect(graph("pi-sandbox").get("probe")).toContain("enclosure");
  expect(graph("pi-sandbox").get("proven")).toContain("confinement"); // By names of the root.
});
