/** Folders that are removed when the test file has run, and a picture of what is in them. */
import { createHash } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A new folder; call at the top of a test file. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-policy-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every path below a folder with kind, mode and content, one a line; times are left out, as reading may change them. */
export function treeOf(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return names.map((name) => `${name} ${describeEntry(join(folder, name))}`).join("\n");
}

function describeEntry(path: string): string {
  const stat = lstatSync(path);
  const mode = stat.mode.toString(8);
  if (stat.isSymbolicLink()) return `${mode} -> ${readlinkSync(path)}`;
  if (!stat.isFile()) return mode;
  return `${mode} ${createHash("sha1").update(readFileSync(path)).digest("hex")}`;
}
