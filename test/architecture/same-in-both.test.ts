/** Numbers that the core and the packages both have, because neither can ask the other: they are the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_PTY_COLUMNS, DEFAULT_PTY_ROWS, PTY_COLUMNS_RANGE, PTY_ROWS_RANGE } from "@pi-bash/contract/internal";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("the sizes that a pseudoterminal may have", () => {
  const core = readFileSync(join(root, "crates/pi-shell/src/pty/terminal.rs"), "utf8");
  const number = (pattern: RegExp) => (pattern.exec(core) ?? []).slice(1).map(Number);

  expect(number(/cols: within\(cols, (\d+), (\d+)\)/)).toEqual([PTY_COLUMNS_RANGE.min, PTY_COLUMNS_RANGE.max]);
  expect(number(/rows: within\(rows, (\d+), (\d+)\)/)).toEqual([PTY_ROWS_RANGE.min, PTY_ROWS_RANGE.max]);
  expect(number(/DEFAULT_COLS: u32 = (\d+);/)).toEqual([DEFAULT_PTY_COLUMNS]);
  expect(number(/DEFAULT_ROWS: u32 = (\d+);/)).toEqual([DEFAULT_PTY_ROWS]);
});
