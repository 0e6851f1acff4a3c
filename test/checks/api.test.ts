/** The API reference says what the sources say: the public surface changes on purpose, with its pages in the diff. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as contract from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { isInternal } from "../../scripts/api/entries.mjs";
import { apiPages } from "../../scripts/api/pages.mjs";
import { schemasText } from "../../scripts/api/schemas.mjs";
import { readSurface } from "../../scripts/api/surface.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "docs/api");
// TypeScript's API talks to the compiler over a pipe of Node's own kind, which Bun does not have.
const isBun = "bun" in process.versions;
const surface: ReturnType<typeof readSurface> = isBun ? [] : readSurface(root);
const pages: Map<string, string> = apiPages(surface).set("schemas.json", schemasText(contract));

/** Files are written with other line ends where git is reported so. */
const read = (name: string) => readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n");

describe.skipIf(isBun)("docs/api", () => {
  it("has a page for each published package and nothing else", () => {
    expect(readdirSync(folder).sort(), "run `npm run api`").toEqual([...pages.keys()].sort());
  });

  it("says of every public name what it is", () => {
    const names = surface.flatMap(({ entries }) => entries.flatMap((entry) => entry.exports));

    expect(names.length).toBeGreaterThan(300);
    expect(names.filter(({ doc }) => doc === "").map(({ source, name }) => `${source} › ${name}`)).toEqual([]);
  });

  it("has each name in one entry: for hosts, or for packages of ours", () => {
    const namesIn = (entry: { exports: readonly { name: string }[] } | undefined): string[] =>
      (entry?.exports ?? []).map(({ name }) => name);
    for (const { name, entries } of surface) {
      const byName = new Map<string, (typeof entries)[number]>(entries.map((entry) => [entry.name, entry]));
      const hosts = new Set(namesIn(byName.get(name)));

      expect(
        namesIn(byName.get(`${name}/internal`)).filter((each) => hosts.has(each)),
        name,
      ).toEqual([]);
    }
  });

  it("and what hosts read name no entry that is not for them", () => {
    const texts = ["docs", "examples", "README.md"].flatMap((place) =>
      place.includes(".")
        ? [join(root, place)]
        : readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
            .filter((path) => /\.(?:md|mjs|ts)$/.test(path) && !/^api[\\/]/.test(path))
            .map((path) => join(root, place, path)),
    );

    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((path) => /from "@pi-bash\/\w+\/internal[/"]/.test(readFileSync(path, "utf8")))).toEqual([]);
  });

  it("uses each public name where hosts look, or has it in the shape of one that is used", () => {
    // What a host reads and what is tested as a host: documents but for the reference, examples, tests of the whole.
    const texts = [
      ["docs", /\.md$/],
      ["examples", /\.mjs$/],
      ["test", /\.ts$/],
      ["benchmarks/src", /\.ts$/],
    ] as const;
    const words = new Set(
      texts.flatMap(([place, kind]) =>
        readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
          .filter((path) => kind.test(path) && !(place === "docs" && /^api[\\/]/.test(path)))
          .flatMap((path) => readFileSync(join(root, place, path), "utf8").match(/\b[A-Za-z_]\w+\b/g) ?? []),
      ),
    );
    const ours = surface
      .flatMap(({ entries }) => entries.filter((entry) => !isInternal(entry)))
      .flatMap((entry) => entry.exports);
    const shapes = new Map<string, Set<string>>();
    for (const { name, text } of ours) {
      shapes.set(name, new Set([...(shapes.get(name) ?? []), ...(text.match(/\b[A-Za-z_]\w+\b/g) ?? [])]));
    }
    const used = new Set([...shapes.keys()].filter((name) => words.has(name)));
    for (const name of used) {
      for (const other of shapes.get(name) ?? []) if (shapes.has(other)) used.add(other);
    }

    expect([...shapes.keys()].filter((name) => !used.has(name))).toEqual([]);
  });

  it.each([...pages])("%s is what `npm run api` writes now", (name, text) => {
    expect(read(name), "the public surface changed: run `npm run api`, and look at what changed").toBe(text);
  });
});
