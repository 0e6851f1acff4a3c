/**
 * The page that maps each statement of the specification to the test that holds it: nothing on it is made up.
 *
 * A title counts as there when the test file has it as a literal of `it`, `test`, `describe` or one of their `each` forms;
 * in Rust, when there is a function of that name. Placeholders of `each` are written as they stand in the source.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** One row of the page. */
interface Row {
  section: string;
  id: string;
  statement: string;
  tests: { path: string; title: string }[];
  source: string;
}

const PAGE = readFileSync(join(root, "docs/specification.md"), "utf8");

/** Rows of all sections; a row that has not four cells is one with empty cells, which the checks refuse. */
function rowsOf(page: string): Row[] {
  return page.split(/^## /m).flatMap((text) => {
    const [section = ""] = text.split("\n", 1);
    if (!/^(?:Seed|Since the seeds)/.test(section)) return [];
    const lines = text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| id |"));
    return lines.map((line) => {
      // A pipe inside code is written as `\|`.
      const cells = line.split(/(?<!\\)\|/).slice(1, -1);
      const [id = "", statement = "", cited = "", source = ""] = cells.map((cell) =>
        cell.trim().replaceAll("\\|", "|"),
      );
      const tests = cited
        .split("<br>")
        .filter((each) => each.trim() !== "")
        .map((each) => {
          const [path = "", title = ""] = each.split(" › ");
          return { path: path.trim(), title: title.trim() };
        });
      return { section, id, statement, tests, source };
    });
  });
}

/** A file with the escapes of its string literals taken out, so that a title can be looked for as it is printed. */
function unescaped(path: string): string {
  return readFileSync(join(root, path), "utf8").replaceAll(/\\(["'`\\])/g, "$1");
}

function hasTitle(path: string, title: string): boolean {
  const text = unescaped(path);
  if (path.endsWith(".rs")) return new RegExp(`fn ${title}\\b`).test(text);
  return [`"${title}"`, `'${title}'`, `\`${title}\``].some((literal) => text.includes(literal));
}

const ROWS = rowsOf(PAGE);

describe("the specification page", () => {
  it("has rows whose ids are unique and run on within each section", () => {
    const ids = ROWS.map(({ id }) => id);
    expect(ids.filter((id) => !/^(?:00[0-4](?:[A-Z])?|RO|SE|IT)-\d+$/.test(id))).toEqual([]);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);

    for (const section of new Set(ROWS.map((row) => row.section))) {
      const numbers = ROWS.filter((row) => row.section === section).map(({ id }) => Number(id.split("-")[1]));
      const [first = 1] = numbers;
      expect(numbers, section).toEqual(numbers.map((_, at) => first + at));
    }
  });

  it("has a statement, and a test or a decision, in every row", () => {
    const problems = ROWS.filter(({ statement, tests, source }) => {
      const isDecision = source.includes("design.md");
      return statement === "" || source === "" || (tests.length === 0 && !isDecision);
    });

    expect(problems.map(({ id }) => id)).toEqual([]);
  });

  it("names sections of the design in its decisions, and says what is different", () => {
    const decisions = ROWS.filter(({ source }) => source.includes("design.md"));

    expect(decisions.filter(({ source }) => !/design\.md \d(?:\.\d+)?: \S/.test(source)).map(({ id }) => id)).toEqual(
      [],
    );
  });

  it("cites tests that exist, by their titles", () => {
    const problems = ROWS.flatMap(({ id, tests }) =>
      tests.flatMap(({ path, title }) => {
        if (title === "") return [`${id}: no title for ${path}`];
        if (!existsSync(join(root, path))) return [`${id}: no file ${path}`];
        return hasTitle(path, title) ? [] : [`${id}: ${path} has no test \`${title}\``];
      }),
    );

    expect(problems).toEqual([]);
  });

  it("names source files that exist", () => {
    const problems = ROWS.flatMap(({ id, source }) =>
      [...source.matchAll(/\b(?:packages|crates|docs|test|scripts)\/[\w./-]+\.\w+/g)]
        .filter(([path]) => !existsSync(join(root, path)))
        .map(([path]) => `${id}: ${path}`),
    );

    expect(problems).toEqual([]);
  });
});
