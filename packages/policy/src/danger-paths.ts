/**
 * Which paths belong to the system, to a home directory or to the folders above the workspace.
 *
 * A path is judged by a rule about where it lies, not by a list of folders: everything below `/usr`, `/etc` and their
 * like belongs to the system, but for what is scratch space. Symbolic links are not followed: this judges text, the
 * sandbox judges files. Where a path has parts that are not known, it is tried with what they could be.
 */

import { mayMatch, readParts } from "./dangers/searches/name-patterns.ts";
import type { Field, Part } from "./dangers/values/fields.ts";
import { windowsTarget } from "./windows-folders.ts";

/** What is known about places when a command runs. */
export interface PathContext {
  /** Working directory of the command, absolute; undefined when unknown. */
  readonly cwd?: string | undefined;
  /** Home directory of the user, absolute. */
  readonly home?: string | undefined;
  /** Root of the workspace, absolute. */
  readonly workspace?: string | undefined;
}

/** Where a command runs, for paths that are relative. */
export interface Folder extends PathContext {
  /** An earlier command of the line went to a folder that cannot be determined. */
  readonly lost?: boolean | undefined;
}

/**
 * What a path is. `main`: the root, a folder that the system hangs on, a home directory, a folder above the workspace.
 * `inside`: anything below a folder of the system. `doubtful`: a place below one that people do fill themselves, such as
 * `/usr/local/go`, `/usr/local/lib/node_modules` or `/var/www/site`.
 */
export interface Target {
  readonly kind: "main" | "inside" | "doubtful";
  /** For a message: "the system folder `/etc`". */
  readonly name: string;
}

/** What a field may name: `certain` whatever its unknown parts are, `possible` for some of their values. */
export interface FieldTarget {
  readonly certain?: Target;
  readonly possible?: Target;
}

/** Everything below these belongs to the system. */
export const SYSTEM_NAMES: readonly string[] =
  "bin boot dev efi etc gnu lib lib32 lib64 libx32 nix ostree proc sbin snap sys sysroot usr var Library System".split(
    " ",
  );
/** Of these only the folder itself. */
export const SHARED_NAMES: readonly string[] = "Applications Users Volumes home mnt opt private root run srv".split(
  " ",
);
/** The folders of homes. */
export const HOMES: readonly string[] = ["home", "Users"];
/** Folders that every `/usr` and `/usr/local` has: File System Hierarchy Standard, chapter 4. */
export const HIERARCHY: readonly string[] =
  "bin etc games include lib lib32 lib64 libexec libx32 local man sbin share src".split(" ");
/** Folders of `/var` that services keep their state in: the same, chapter 5. */
export const STATE: readonly string[] = "adm backups cache db lib local lock log mail opt run spool".split(" ");

/** macOS keeps `/etc`, `/tmp` and `/var` there. */
const PRIVATE = "private";

/** What is in these may go; the folders themselves may not. */
const SCRATCH = ["/var/tmp", "/var/cache", "/var/folders", "/var/lib/apt/lists", "/dev/shm"];
/** Below these people keep things of their own beside those of the system. */
const MIXED = ["/usr/src", "/var/www", "/var/log", "/var/opt", "/var/local", "/nix/var"];
/** Folders that all programs of a system are in. */
const STORES = ["/nix/store", "/gnu/store", "/snap/bin", "/ostree/repo", "/ostree/deploy"];

/** A name that no rule has. */
const ANY_NAME = "any-name";

/** The name of a folder of the system, for what `/$name` may be. */
const SYSTEM_NAME = "usr";

/** What removing or changing a field would hit. */
export function targetOf(field: Field, folder: Folder): FieldTarget {
  const readings = readingsOf(field).map((parts) => pathTarget(parts, folder));
  const found = readings.find((each) => each !== undefined);
  if (found === undefined) return {};
  const unknown = readings.length > 1 || readings.some((each) => each === LOST_FOLDER);
  return unknown && (readings.includes(undefined) || readings.includes(LOST_FOLDER))
    ? { possible: found }
    : { certain: found };
}

const LOST_FOLDER: Target = { kind: "main", name: "a folder that is not known" };

/** A field with its unknown parts replaced by what they could be. */
function readingsOf(field: Field): (readonly Part[])[] {
  const unknown = field.flatMap((part) => (part.kind === "unknown" ? [part] : []));
  if (unknown.length === 0) return [field];
  const given = [ANY_NAME, SYSTEM_NAME];
  if (unknown.every((part) => part.mayBeEmpty)) given.push("");
  if (unknown.every((part) => part.mayBeAbsolute)) given.push("/");
  return given.map((text) => field.map((part) => (part.kind === "unknown" ? { kind: "text", text } : part)));
}

/** One component of a path: its pattern, in pieces. */
export type Component = readonly Part[];

function pathTarget(parts: readonly Part[], folder: Folder): Target | undefined {
  const written = componentsOf(parts);
  const path = absolutePath(written, folder);
  if (path === undefined) return folder.lost === true && staysHere(written) ? LOST_FOLDER : undefined;
  const contents = isEverything(path.at(-1));
  return judgePath(contents ? path.slice(0, -1) : path, contents, folder);
}

/** The paths that a field may name, without `..`; none where it is relative and the folder is not known. */
export function pathsOf(field: Field, folder: Folder): (readonly Component[])[] {
  return readingsOf(field).flatMap((parts) => {
    const path = absolutePath(componentsOf(parts), folder);
    return path === undefined ? [] : [path];
  });
}

/** A path without `.`, `..` and links of `/proc`; none for a relative one where the folder is not known. */
export function absolutePath(written: readonly Component[], { cwd }: Folder): Component[] | undefined {
  if (written[0]?.length !== 0)
    return cwd === undefined ? undefined : normalized([...literalPath(cwd), ...written], cwd);
  return written.length === 1 ? undefined : normalized(written, cwd);
}

/** `.`, `*`, `./*`, `..`: all that is in the folder, wherever that is. */
function staysHere(written: readonly Component[]): boolean {
  return (
    written.some((each) => each.length > 0) &&
    written.every((each) => each.length === 0 || isEverything(each) || /^\.{1,2}$/.test(literal(each) ?? "x"))
  );
}

/** A path at its slashes; an absolute one begins with an empty component. */
export function componentsOf(parts: readonly Part[]): Component[] {
  const components: Part[][] = [[]];
  for (const part of parts) {
    if (part.kind !== "text") {
      components.at(-1)?.push(part);
      continue;
    }
    for (const [at, text] of part.text.split("/").entries()) {
      if (at > 0) components.push([]);
      if (text !== "") components.at(-1)?.push({ kind: "text", text });
    }
  }
  return components;
}

function literalPath(path: string): Component[] {
  return componentsOf([{ kind: "text", text: path }]);
}

/** Without `.` and `..`, and behind what leads out of `/proc`. */
function normalized(components: readonly Component[], cwd = "/"): Component[] {
  const path: Component[] = [];
  for (const each of components) {
    const text = literal(each);
    if (text === "..") path.pop();
    else if (text !== "" && text !== ".") path.push(each);
    const leads = leadsTo(path, cwd);
    if (leads !== undefined) path.splice(0, path.length, ...leads);
  }
  return path;
}

/**
 * Where the links of a process in `/proc` lead: its root folder, and the folder it runs in. For those of other processes
 * the root folder stands, which is where system services run. Source: proc(5).
 */
function leadsTo(path: readonly Component[], cwd: string): readonly Component[] | undefined {
  const isTask = path.length === 5 && literal(path[2] ?? []) === "task";
  if ((path.length !== 3 && !isTask) || literal(path[0] ?? []) !== "proc") return undefined;
  const link = literal(path.at(-1) ?? []);
  if (link === "root") return [];
  if (link !== "cwd") return undefined;
  return /^(?:thread-)?self$/.test(literal(path[1] ?? []) ?? "") ? literalPath(cwd).slice(1) : [];
}

/** The text of a component without a pattern. */
function literal(component: Component): string | undefined {
  if (component.some((part) => part.kind !== "text")) return undefined;
  return component.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** `*`, `.*`, `?*`, `.[!.]*`. */
function isEverything(component: Component | undefined): boolean {
  if (component === undefined || !component.some((part) => part.kind === "star")) return false;
  return component.every((part) => part.kind !== "text" || part.text === ".");
}

/** True where a component may name this folder. */
export function names(component: Component | undefined, name: string): boolean {
  if (component === undefined) return false;
  const text = literal(component);
  return text === undefined ? mayMatch(readParts(component), name) : text === name;
}

function namesOne(component: Component | undefined, list: readonly string[]): boolean {
  return list.some((name) => names(component, name));
}

function judgePath(path: readonly Component[], contents: boolean, folder: Folder): Target | undefined {
  if (path.length === 0) return { kind: "main", name: "the root folder `/`" };
  if (path.length > 1 && literal(path[0] ?? []) === PRIVATE) return judgePath(path.slice(1), contents, folder);
  const shown = shownPath(path);
  if (matchesPath(path, folder.home)) return { kind: "main", name: `the home directory \`${folder.home ?? shown}\`` };
  if (isWorkspace(path, folder)) return undefined;
  if (isAbove(path, folder.workspace)) return { kind: "main", name: `\`${shown}\`, a folder above the workspace` };
  if (path.length === 2 && namesOne(path[0], HOMES)) return { kind: "main", name: `the home directory \`${shown}\`` };
  if (path.length === 1 && namesOne(path[0], [...SYSTEM_NAMES, ...SHARED_NAMES])) {
    return { kind: "main", name: `the system folder \`${shown}\`` };
  }
  if (path.length > 1 && namesOne(path[0], SYSTEM_NAMES)) return belowSystem(path, contents, shown);
  return windowsTarget(
    path.map((each) => literal(each) ?? ""),
    shown,
  );
}

function belowSystem(path: readonly Component[], contents: boolean, shown: string): Target | undefined {
  const isScratch = SCRATCH.some((place) => isAtOrBelow(path, place, contents ? 0 : 1));
  if (isScratch) return undefined;
  const name = `\`${shown}\`, which belongs to the system`;
  if (path.length === 2) {
    const known = names(path[0], "usr")
      ? namesOne(path[1], HIERARCHY)
      : (names(path[0], "var") && namesOne(path[1], STATE)) || STORES.some((place) => isAtOrBelow(path, place, 0));
    return known ? { kind: "main", name: `the system folder \`${shown}\`` } : { kind: "inside", name };
  }
  const isMixed =
    MIXED.some((place) => isAtOrBelow(path, place, 1)) ||
    (isAtOrBelow(path, "/usr/local", 1) && (path.length > 3 || !namesOne(path[2], HIERARCHY)));
  return isMixed ? { kind: "doubtful", name: `\`${shown}\`, below a folder of the system` } : { kind: "inside", name };
}

/** Folders of what the system starts and reads, without those that people fill themselves. */
const PROGRAM_NAMES = "bin boot dev efi etc lib lib32 lib64 libx32 sbin".split(" ");
const PROGRAM_FOLDERS = "bin include lib lib32 lib64 libexec libx32 sbin share".split(" ");

/** True for a pattern that matches every file in such a folder: `/usr/bin/*`. */
export function namesSystemFiles(field: Field, folder: Folder): boolean {
  if (field.some(({ kind }) => kind === "unknown")) return false;
  const path = absolutePath(componentsOf(field), folder) ?? [];
  const [base, second, ...more] = path.slice(0, -1);
  if (!isEverything(path.at(-1)) || more.length > 0) return false;
  return second === undefined ? namesOne(base, PROGRAM_NAMES) : names(base, "usr") && namesOne(second, PROGRAM_FOLDERS);
}

/** True where a path without patterns at its start lies in a place, at least `levels` below it. */
function isAtOrBelow(path: readonly Component[], place: string, levels: number): boolean {
  const base = place.split("/").slice(1);
  return path.length >= base.length + levels && base.every((name, at) => literal(path[at] ?? []) === name);
}

/** Workspaces may lie below `/usr/src` or `/var/www`, and are their owner's; `/etc` as a workspace stays what it is. */
function isWorkspace(path: readonly Component[], { workspace }: Folder): boolean {
  const base = namesOf(workspace ?? "/");
  if (base.length < 2 || !SYSTEM_NAMES.includes(base[0] ?? "")) return false;
  return isAtOrBelow(path, `/${base.join("/")}`, 0);
}

function isAbove(path: readonly Component[], workspace: string | undefined): boolean {
  if (workspace === undefined) return false;
  const base = namesOf(workspace);
  return base.length > path.length && path.every((component, at) => names(component, base[at] ?? ""));
}

function matchesPath(path: readonly Component[], folder: string | undefined): boolean {
  if (folder === undefined) return false;
  const base = namesOf(folder);
  return base.length === path.length && base.every((name, at) => names(path[at], name));
}

/** The names along a known path. */
export function namesOf(path: string): string[] {
  const found = normalized(literalPath(path)).map((each) => literal(each) ?? "");
  return found.length > 1 && found[0] === PRIVATE ? found.slice(1) : found;
}

function shownPath(path: readonly Component[]): string {
  const text = path.map((component) =>
    component.map((part) => (part.kind === "text" ? part.text : part.kind === "char" ? "?" : "*")).join(""),
  );
  return `/${text.join("/")}`;
}
