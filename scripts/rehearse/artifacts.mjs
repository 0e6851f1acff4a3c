/**
 * Hands artifacts and caches from job to job through folders, as GitHub does: an artifact is a zip archive that keeps no
 * modes, a cache is an archive that does.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

/** Every regular file below a folder. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function copyWithoutModes(from, to) {
  cpSync(from, to, { recursive: true });
  for (const file of filesBelow(to)) chmodSync(file, 0o644);
}

/**
 * @param {string} store folder of all artifacts
 * @param {{ name: string, path: string, "if-no-files-found"?: "warn" | "error" | "ignore" }} options
 * @param {string} workspace
 */
export function uploadArtifact(store, options, workspace) {
  const { name, path, "if-no-files-found": onNothing = "warn" } = options;
  const from = join(workspace, path);
  const files = existsSync(from) ? (statSync(from).isDirectory() ? filesBelow(from) : [from]) : [];
  if (files.length === 0) {
    if (onNothing === "error") throw new Error(`no files were found with the path \`${path}\``);
    return `no files at \`${path}\``;
  }
  const to = join(store, name);
  if (existsSync(to)) throw new Error(`there is an artifact \`${name}\` already`);
  if (statSync(from).isDirectory()) copyWithoutModes(from, to);
  else {
    mkdirSync(to, { recursive: true });
    copyWithoutModes(from, join(to, basename(from)));
  }
  return `${name}: ${files.length} files`;
}

/**
 * One artifact by `name` into the path itself; several by `pattern` into a folder each.
 * @param {string} store
 * @param {{ name?: string, pattern?: string, path?: string }} options
 * @param {string} workspace
 */
export function downloadArtifact(store, { name, pattern, path = "." }, workspace) {
  const there = existsSync(store) ? readdirSync(store).sort() : [];
  const to = join(workspace, path);
  if (name !== undefined) {
    if (!there.includes(name)) throw new Error(`there is no artifact \`${name}\``);
    copyWithoutModes(join(store, name), to);
    return name;
  }
  const wanted = there.filter((other) => pattern === undefined || globOf(pattern).test(other));
  mkdirSync(to, { recursive: true });
  for (const other of wanted) copyWithoutModes(join(store, other), join(to, other));
  return wanted.length === 0 ? `nothing is called \`${pattern}\`` : wanted.join(", ");
}

function globOf(pattern) {
  if (/[?[\]{}!]/.test(pattern)) throw new Error(`the pattern \`${pattern}\` has more than \`*\``);
  return new RegExp(
    `^${pattern
      .split("*")
      .map((part) => part.replace(/[.+^$()|\\]/g, "\\$&"))
      .join(".*")}$`,
  );
}

const folderOf = (store, key) => join(store, createHash("sha256").update(key).digest("hex").slice(0, 16));

/**
 * Restores a cache: the one of the key, else the newest whose key begins as one of `restore-keys` says.
 * @returns {string | undefined} the key that was found
 */
export function restoreCache(store, options, workspace) {
  const { path, key, "restore-keys": more = "" } = options;
  const entries = readdirSync(store)
    .filter((name) => existsSync(join(store, name, "key")))
    .map((name) => ({ folder: join(store, name), key: readFileSync(join(store, name, "key"), "utf8") }))
    .sort((a, b) => statSync(join(b.folder, "key")).mtimeMs - statSync(join(a.folder, "key")).mtimeMs);
  const prefixes = more
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const found =
    entries.find((entry) => entry.key === key) ??
    prefixes.flatMap((prefix) => entries.find((entry) => entry.key.startsWith(prefix)) ?? []).at(0);
  if (found === undefined) return undefined;
  cpSync(join(found.folder, "files"), join(workspace, path), { recursive: true, preserveTimestamps: true });
  return found.key;
}

/** Keeps a folder under a key. A key is never written a second time. */
export function saveCache(store, { path, key }, workspace) {
  const folder = folderOf(store, key);
  const from = join(workspace, path);
  if (existsSync(folder) || !existsSync(from)) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(from, join(folder, "files"), { recursive: true, preserveTimestamps: true });
  writeFileSync(join(folder, "key"), key);
  utimesSync(join(folder, "key"), new Date(), new Date());
  return true;
}
