/** docs/errors.md has each error code of the sources, and no other. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = readFileSync(join(root, "docs/errors.md"), "utf8");

/** Quoted names that begin as codes do: variables, the driver's messages, resources of Node's async hooks. */
const NOT_CODES =
  /^PI_(?:BASH|ORDER|REPORT|OPTIONS|PROTOCOL|STOP|CONFINE|KEEP|TEST|SHELL_PREFIX|SHELL_RUN|NO_PTY|HOST_BINARY|HOST_CACHE)/;

function sources(): string[] {
  return ["packages", "crates"].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) =>
      readdirSync(join(root, folder, name, "src"), { recursive: true, encoding: "utf8" })
        .filter((path) => /\.(?:ts|rs)$/.test(path))
        .map((path) => join(root, folder, name, "src", path)),
    ),
  );
}

function codesOf(text: string): string[] {
  return [...text.matchAll(/["`](PI_[A-Z_]+)["`]/g)].map(([, code = ""]) => code);
}

const ofSources = new Set(sources().flatMap((path) => codesOf(readFileSync(path, "utf8"))));
const isCode = (name: string): boolean => !NOT_CODES.test(name);

describe("the page of errors", () => {
  it("has each code of the sources", () => {
    expect([...ofSources].filter((code) => isCode(code) && !page.includes(`\`${code}\``))).toEqual([]);
  });

  it("has no code that the sources do not have", () => {
    expect(codesOf(page).filter((code) => isCode(code) && !ofSources.has(code))).toEqual([]);
  });

  it("says of each error in one row what happened and what to do", () => {
    const rows = page.split("\n").filter((line) => line.startsWith("| `PI_"));
    const codes = rows.flatMap((row) => codesOf(row.split("|")[1] ?? ""));

    expect(codes.length).toBeGreaterThan(50);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
    for (const row of rows)
      expect(
        row
          .split("|")
          .slice(2, -1)
          .every((cell) => cell.trim().length > 5),
      ).toBe(true);
  });
});
