/** Numbers that the core and the packages both have, because neither can ask the other: they are the same. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  DEFAULT_MINIMIZER_CAPTURE_BYTES,
  DEFAULT_PTY_COLUMNS,
  DEFAULT_PTY_ROWS,
  HARD_TIMEOUT_GRACE_MS,
  PTY_COLUMNS_RANGE,
  PTY_ROWS_RANGE,
} from "@pi-bash/contract/internal";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const coreText = (path: string) => readFileSync(join(root, "crates", path), "utf8");

it("the time that a call may take past its deadline", () => {
  const found = /HARD_TIMEOUT_GRACE: Duration = Duration::from_secs\((\d+)\);/.exec(
    coreText("pi-process/src/budget.rs"),
  );

  expect(Number(found?.[1]) * 1_000).toBe(HARD_TIMEOUT_GRACE_MS);
});

it("the longest output that is minimized", () => {
  const found = /DEFAULT_MAX_CAPTURE_BYTES: usize = ([\d* ]+);/.exec(coreText("pi-minimizer/src/options.rs"));
  const product = (found?.[1] ?? "").split("*").reduce((bytes, factor) => bytes * Number(factor), 1);

  expect(product).toBe(DEFAULT_MINIMIZER_CAPTURE_BYTES);
});

it("the sizes that a pseudoterminal may have", () => {
  const core = coreText("pi-shell/src/pty/terminal.rs");
  const number = (pattern: RegExp) => (pattern.exec(core) ?? []).slice(1).map(Number);

  expect(number(/cols: within\(cols, (\d+), (\d+)\)/)).toEqual([PTY_COLUMNS_RANGE.min, PTY_COLUMNS_RANGE.max]);
  expect(number(/rows: within\(rows, (\d+), (\d+)\)/)).toEqual([PTY_ROWS_RANGE.min, PTY_ROWS_RANGE.max]);
  expect(number(/DEFAULT_COLS: u32 = (\d+);/)).toEqual([DEFAULT_PTY_COLUMNS]);
  expect(number(/DEFAULT_ROWS: u32 = (\d+);/)).toEqual([DEFAULT_PTY_ROWS]);
});

it("what documents and comments say of those sizes", () => {
  const pages = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const commented = ["crates/pi-shell/src/pty", "packages/natives/src", "packages/places/src"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => /\.(?:rs|ts)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const texts = [...pages.map((name) => `docs/${name}`), ...commented].map((path) =>
    readFileSync(join(root, path), "utf8"),
  );
  const said = texts.flatMap((text) => [...text.matchAll(/(\d+) to (\d+) columns and (\d+) to (\d+) rows/g)]);
  const saidOfOne = texts.flatMap((text) => [...text.matchAll(/(Columns|Rows), clamped to (\d+) to (\d+)/g)]);
  const numbers = (range: { min: number; max: number }) => [range.min, range.max].map(String);
  const [columns, rows] = [numbers(PTY_COLUMNS_RANGE), numbers(PTY_ROWS_RANGE)];

  expect(said.length).toBeGreaterThan(4);
  for (const [, ...found] of said) expect(found).toEqual([...columns, ...rows]);
  expect(saidOfOne.length).toBeGreaterThan(3);
  for (const [, kind, ...found] of saidOfOne) expect(found).toEqual(kind === "Columns" ? columns : rows);
});
