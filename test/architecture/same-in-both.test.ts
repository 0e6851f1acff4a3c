/** Numbers that the core and the packages both have, because neither can ask the other: they are the same. */
import { readFileSync } from "node:fs";
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
  const found = /HARD_TIMEOUT_GRACE: Duration = Duration::from_secs\((\d+)\);/.exec(coreText("pi-shell/src/budget.rs"));

  expect(Number(found?.[1]) * 1_000).toBe(HARD_TIMEOUT_GRACE_MS);
});

it("the longest output that is minimized", () => {
  const found = /DEFAULT_MAX_CAPTURE_BYTES: usize = ([\d* ]+);/.exec(coreText("pi-minimizer/src/options.rs"));
  const product = (found?.[1] ?? "").split("*").reduce((bytes, factor) => bytes * Number(factor), 1);

  expect(product).toBe(DEFAULT_MINIMIZER_CAPTURE_BYTES);
});

it("the widest row of a terminal, where a question is looked for", () => {
  const source = readFileSync(join(root, "packages/terminal/src/waiting.ts"), "utf8");

  expect(Number(/const MAX_LINE = (\d+);/.exec(source)?.[1])).toBe(PTY_COLUMNS_RANGE.max);
});

it("the sizes that a pseudoterminal may have", () => {
  const core = coreText("pi-shell/src/pty/terminal.rs");
  const number = (pattern: RegExp) => (pattern.exec(core) ?? []).slice(1).map(Number);

  expect(number(/cols: within\(cols, (\d+), (\d+)\)/)).toEqual([PTY_COLUMNS_RANGE.min, PTY_COLUMNS_RANGE.max]);
  expect(number(/rows: within\(rows, (\d+), (\d+)\)/)).toEqual([PTY_ROWS_RANGE.min, PTY_ROWS_RANGE.max]);
  expect(number(/DEFAULT_COLS: u32 = (\d+);/)).toEqual([DEFAULT_PTY_COLUMNS]);
  expect(number(/DEFAULT_ROWS: u32 = (\d+);/)).toEqual([DEFAULT_PTY_ROWS]);
});
