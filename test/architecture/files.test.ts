/**
 * What every file owes its reader: a header that says what lives in it, and nothing of the machine it was written on.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const FOLDERS = ["crates", "packages", "test", "scripts", "benchmarks", "docs", "examples", "bash-driver"];
/** Built, fetched or recorded: no one writes these by hand. */
const NOT_OURS = /(^|[\\/])(node_modules|dist|target|bin|generated|golden|cases|fixtures|corpus)([\\/]|$)/;

function filesUnder(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  } catch {
    return []; // Not every checkout has every folder, e.g. a package without benchmarks.
  }
  return names.map((name) => join(root, folder, name)).filter((path) => !NOT_OURS.test(relative(root, path)));
}

const files = [
  ...FOLDERS.flatMap(filesUnder),
  ...readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(root, entry.name)),
];

/** A path with `{a,b}` in it, as each of the paths that it stands for. */
function alternatives(path: string): string[] {
  const [, before = "", list, after = ""] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  return list === undefined ? [path] : list.split(",").flatMap((name) => alternatives(`${before}${name}${after}`));
}

describe("files", () => {
  it("of source code begin with a header", () => {
    const sources = files.filter((path) => /\.(rs|ts|mts|mjs)$/.test(path));
    const bare = sources.filter((path) => !/^(#!.*\n)?\s*(\/\*\*|\/\/)/.test(readFileSync(path, "utf8")));

    expect(bare.map((path) => relative(root, path))).toEqual([]);
    expect(sources.length).toBeGreaterThan(50);
  });

  // A checkout at `/x` or `/src` cannot be distinguished from an ordinary path, so only deeper ones are looked for.
  it.skipIf(root.split(/[\\/]/).filter(Boolean).length < 2)("have no path of this checkout in them", () => {
    const here = root.replace(/[\\/]$/, "");
    const texts = files.filter((path) => /\.(rs|ts|mts|mjs|md|json|toml|ya?ml|sh)$/.test(path));
    const telling = texts.filter((path) => readFileSync(path, "utf8").includes(here));

    expect(telling.map((path) => relative(root, path))).toEqual([]);
  });

  it("that ARCHITECTURE.md names are there", () => {
    const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const named = [...page.matchAll(/`((?:crates|packages|bash-driver|scripts|test|docs)\/[^`\s]*)`/g)]
      .map(([, path]) => path ?? "")
      .flatMap(alternatives);

    expect(named.filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, `${path}.rs`)))).toEqual([]);
    expect(named.length).toBeGreaterThan(50); // Else this test has gone blind.
  });

  // Tables and code have the width that they need; what a script writes (`docs/api`, `docs/platforms.md`) is not wrapped.
  it("of documentation have prose of at most 120 columns", () => {
    const pages = files.filter(
      (path) => path.endsWith(".md") && !/[\\/]docs[\\/](?:api[\\/]|performance[\\/]|platforms\.md)/.test(path),
    );
    const wide = pages.flatMap((page) => {
      const prose = readFileSync(page, "utf8").replaceAll(/^ *```[\s\S]*?^ *```$/gm, (block) =>
        block.replaceAll(/.+/g, ""),
      );
      return prose
        .split("\n")
        .flatMap((line, at) =>
          line.length > 120 && !/^ *(?:\||#|<|!?\[[^\]]*\]\()/.test(line) ? [`${relative(root, page)}:${at + 1}`] : [],
        );
    });

    expect(wide).toEqual([]);
  });

  it("of documentation link to what is there", () => {
    const pages = files.filter((path) => path.endsWith(".md"));
    const broken = pages.flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target]) => target ?? "")
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(dirname(page), target)))
        .map((target) => `${relative(root, page)}: ${target}`),
    );

    expect(broken).toEqual([]);
    expect(pages.length).toBeGreaterThan(5);
  });

  it("of the lock file name no registry", () => {
    const lock = readFileSync(join(root, "package-lock.json"), "utf8");
    const resolved = [...lock.matchAll(/"resolved": "(https?:[^"]+)"/g)].map(([, url]) => url);

    expect(resolved).toEqual([]);
  });
});
