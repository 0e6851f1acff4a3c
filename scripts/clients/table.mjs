/** What was seen, as a table: for a terminal, and for docs/clients.md. */
import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { COLUMNS } from "./checks.mjs";
import { VERSIONS } from "./versions.mjs";

/** @typedef {{ driver: import("./rounds.mjs").Driver, cells?: Map<string, import("./checks.mjs").Cell>, missing?: string }} Row */

/** Where docs/clients.md has its table: what stands between the two lines is replaced. */
const PLACE = /(<!-- clients:[^\n]*-->\n)[\s\S]*?(<!-- \/clients -->)/;
const SIGNS = { ok: "ok", ends: "ends", failed: "FAILED", none: "-" };

/** Whether everything that this client can do was seen to work. @param {Row} row */
export function isGood({ cells }) {
  return cells !== undefined && COLUMNS.every((column) => ["ok", "ends", "none"].includes(cells.get(column)?.state));
}

const nameOf = ({ driver }) => {
  const { title, packages } = VERSIONS[driver.id];
  return `${title} ${packages[0].replace(/^.*(?:@|==)/, "")}`;
};

const signOf = ({ cells }, column) => (cells === undefined ? "not tried" : SIGNS[cells.get(column)?.state ?? "failed"]);

/** @param {Row[]} rows */
export function plainTable(rows) {
  const width = Math.max(...rows.map((row) => nameOf(row).length));
  const lines = rows.map((row) =>
    [nameOf(row).padEnd(width), ...COLUMNS.map((each) => signOf(row, each).padEnd(10))].join("  "),
  );
  const head = ["".padEnd(width), ...COLUMNS.map((each) => each.padEnd(10))].join("  ");
  return [head, ...lines, "", ...rows.flatMap(reasons).map((line) => `  ${line}`)].join("\n");
}

/** Why a client was not tried, cells that failed, and cells that a client has no way to fill. */
function reasons(row) {
  if (row.missing !== undefined) return [`${nameOf(row)} was not tried: ${row.missing}`];
  return COLUMNS.flatMap((column) => {
    const { state, why } = row.cells.get(column) ?? { state: "failed", why: "it was not reached" };
    return ["ok", "ends"].includes(state) ? [] : [`${nameOf(row)}, ${column} ${SIGNS[state]}: ${why}`];
  });
}

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** A text from elsewhere for the page: it may have what ends a cell, folders of this machine, and ids of this run. */
const cell = (text) =>
  text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll(homedir(), "~").replace(UUID, "<id>");

/** Writes the table into the page. @param {string} root @param {Row[]} rows */
export function writePage(root, rows) {
  const path = join(root, "docs", "clients.md");
  const before = readFileSync(path, "utf8");
  if (!PLACE.test(before)) throw new Error("docs/clients.md has no place for the table of clients");
  const head = ["client", "by", ...COLUMNS];
  const lines = [
    `| ${head.join(" | ")} |`,
    `|${"---|".repeat(head.length)}`,
    ...rows.map(
      (row) => `| ${[nameOf(row), row.driver.way, ...COLUMNS.map((each) => signOf(row, each))].join(" | ")} |`,
    ),
    "",
    ...rows.flatMap(reasons).map((line) => `- ${cell(line)}`),
  ];
  writeFileSync(
    path,
    before.replace(PLACE, (_, begin, end) => `${begin}\n${lines.join("\n")}\n\n${end}`),
  );
}
