/**
 * What is known of each file below some folders: kind, mode, owner, links, size, both times of a change, and content.
 *
 * A new attribute or flag (`setxattr`, `chattr`) moves the time of change, which programs cannot set back; so those two
 * need no look of their own. The time of the last reading is left out: who reads moves it.
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Facts by path. */
export function treeFacts(folders: readonly string[]): Map<string, string> {
  const facts = new Map<string, string>();
  const visit = (path: string): void => {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return;
    const owner = `${stat.uid}:${stat.gid}`;
    const changed = `${stat.mtimeNs} ${stat.ctimeNs}`;
    facts.set(path, `${stat.mode.toString(8)} ${owner} ${stat.nlink} ${stat.size} ${changed} ${contentOf(path, stat)}`);
    if (stat.isDirectory()) for (const name of readdirSync(path)) visit(join(path, name));
  };
  for (const folder of folders) visit(folder);
  return facts;
}

function contentOf(path: string, stat: { isFile(): boolean; isSymbolicLink(): boolean }): string {
  if (stat.isSymbolicLink()) return readlinkSync(path);
  try {
    return stat.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16) : "";
  } catch {
    return "unreadable"; // A control took the right away.
  }
}
