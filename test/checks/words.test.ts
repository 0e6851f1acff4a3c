/**
 * The words that the glossary has retired are gone from what people and models read, and from sources.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const GLOSSARY = "docs/glossary.md";
const OWN = "test/checks/words.test.ts";
/** Built, fetched or recorded, or a text of law: not written by us. */
const NOT_OURS =
  /(^|\/)(?:node_modules|dist|target|bin|generated|golden|cases|fixtures|corpus)\/|LICENSE|NOTICE|licence\.txt/;
const TEXTS = /\.(?:md|rs|ts|tsx|mjs|c|h|sh|toml)$/;
const FOLDERS = ["crates", "packages", "scripts", "benchmarks/src", "bash-driver", "docs", "examples", "test"];

/** Words of the glossary's table, those of one row apart. */
function retiredWords(): string[] {
  const [, table = ""] = readFileSync(join(root, GLOSSARY), "utf8").split("| retired | instead |\n|---|---|\n");
  return table
    .split("\n")
    .filter((row) => row.startsWith("| "))
    .flatMap((row) => (row.split("|")[1] ?? "").split(",").map((word) => word.trim()));
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(root, folder, name));
}

const files = [
  ...FOLDERS.flatMap(filesUnder),
  ...readdirSync(root, { encoding: "utf8" }).map((name) => join(root, name)),
]
  .map((path) => relative(root, path).split(sep).join("/"))
  .filter((path) => TEXTS.test(path) && !NOT_OURS.test(path) && path !== GLOSSARY && path !== OWN);

/** With a capital at the beginning as well, and in names; a constant in capitals is the user of that name. */
const expression = (words: readonly string[]): RegExp => {
  const forms = words.map((word) => {
    const first = word.charAt(0);
    return `[${first}${first.toUpperCase()}]${word.slice(1).replaceAll(" ", "[ _]")}`;
  });
  return new RegExp(`(?<![A-Za-z0-9])(?:${forms.join("|")})(?![A-Za-z0-9])`);
};

/** The user of that name, and the hosts and folders that are called after it. */
const USER = /["'`/:=]nobody\b|\bnobody["'`:]/;

describe("the retired words", () => {
  const words = retiredWords();

  it("are listed in the glossary", () => {
    expect(words).toContain("nobody");
    expect(words.length).toBeGreaterThan(8);
  });

  it("stand nowhere", () => {
    const retired = expression(words);
    const found = files.flatMap((path) =>
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .flatMap((line, at) => (retired.test(line) && !USER.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
    );

    expect(found).toEqual([]);
    expect(files.length).toBeGreaterThan(500); // Else this test has gone blind.
  });

  it("are found as people write them", () => {
    const retired = expression(words);

    for (const line of [
      "// Nobody waits.",
      "it is drawn anew",
      "is no valid name",
      "its last breath",
      "the agent is told",
    ]) {
      expect(line).toMatch(retired);
    }
    expect("no one waits; the name is not valid").not.toMatch(retired);
  });
});
