/**
 * The protected folders that a search comes past: those of the system, homes and the folders above the workspace, at or
 * below where it starts. What a search looks for by name is in particular only where it is none of these.
 */
import {
  type Component,
  type Folder,
  HIERARCHY,
  HOMES,
  names,
  namesOf,
  pathsOf,
  SHARED_NAMES,
  STATE,
  SYSTEM_NAMES,
} from "./danger-paths.ts";
import type { Field } from "./dangers/values/fields.ts";
import { knownText } from "./dangers/values/fields.ts";

/** What a search may meet. */
export interface Places {
  /** Names of protected folders below a start. */
  readonly names: ReadonlySet<string>;
  /** Names of the starts that are protected folders. */
  readonly starts: ReadonlySet<string>;
  /** Paths of all of these, as the search writes them. */
  readonly paths: ReadonlySet<string>;
  /** Paths of something that lies in one of them. */
  readonly contents: ReadonlySet<string>;
  /** True where a start holds the homes of users, whatever their names are. */
  readonly hasHomes: boolean;
}

/** Paths that are tried for a search; with more, a test of paths narrows nothing. */
export const MAX_PATHS = 1_024;

/** Starts that are distinguished; with more, a search may begin anywhere. */
const MAX_STARTS = 256;

/** A name that only a pattern has. */
const ANY_CONTENT = "\u0001\u0001\u0001\u0001\u0001\u0001";

/** In these the system keeps what may go: caches and logs. */
const LOOSE = /^\/(?:usr\/src|var\/(?:cache|log|local|opt))$/;

/** The protected folders at and below what some fields name. */
export function placesBelow(starts: readonly Field[], folder: Folder): Places {
  const folders = protectedFolders(folder);
  const found = new Met();
  const distinct = new Map(starts.map((start) => [JSON.stringify(start), start]));
  for (const [at, start] of [...distinct.values()].slice(0, MAX_STARTS + 1).entries()) {
    const paths = at < MAX_STARTS ? pathsOf(start, folder) : [[]];
    // Without the folder that it is relative to, a start may be any.
    for (const base of paths.length > 0 || folder.lost !== true ? paths : [[]]) found.add(start, base, folders);
  }
  return found;
}

/** A protected folder, with the names along its path. */
interface Protected {
  readonly path: string;
  readonly along: readonly string[];
}

class Met implements Places {
  readonly names = new Set<string>();
  readonly starts = new Set<string>();
  readonly paths = new Set<string>();
  readonly contents = new Set<string>();
  hasHomes = false;

  /** Adds what lies at and below a start, which may stand for this path. */
  add(start: Field, base: readonly Component[], known: readonly Protected[]): void {
    this.hasHomes ||= base.length === 1 && HOMES.some((name) => names(base[0], name));
    for (const { path, along } of known) {
      if (!isAtOrAbove(base, along)) continue;
      (along.length > base.length ? this.names : this.starts).add(along.at(-1) ?? "/");
      const written = asWritten(start, path, along.slice(base.length));
      this.paths.add(written);
      if (!LOOSE.test(path)) this.contents.add(`${written}/${ANY_CONTENT}`);
    }
  }
}

/** The protected folder that a pattern stands for: `/e*` is `/etc`. */
export function protectedMatch(field: Field, folder: Folder): string | undefined {
  const paths = pathsOf(field, folder);
  const isOne = ({ along }: Protected): boolean =>
    paths.some((base) => base.length === along.length && isAtOrAbove(base, along));
  return protectedFolders(folder).find(isOne)?.path;
}

const OF_THE_SYSTEM: readonly Protected[] = [
  ...[...SYSTEM_NAMES, ...SHARED_NAMES].map((name) => `/${name}`),
  ...HIERARCHY.flatMap((name) => [`/usr/${name}`, `/usr/local/${name}`]),
  ...STATE.map((name) => `/var/${name}`),
].map(protectedAt);

function protectedAt(path: string): Protected {
  return { path, along: namesOf(path) };
}

function protectedFolders({ home, workspace }: Folder): readonly Protected[] {
  const own = [...(home === undefined ? [] : [home]), ...foldersAbove(workspace ?? "/")];
  return [...OF_THE_SYSTEM, ...own.map(protectedAt)];
}

function foldersAbove(path: string): string[] {
  const along = namesOf(path);
  return along.slice(1).map((_, at) => `/${along.slice(0, at + 1).join("/")}`);
}

function isAtOrAbove(base: readonly Component[], along: readonly string[]): boolean {
  return base.length <= along.length && base.every((component, at) => names(component, along[at] ?? ""));
}

/** `find .` writes `./etc`, and `find /` writes `/etc`. */
function asWritten(start: Field, path: string, below: readonly string[]): string {
  const text = knownText(start);
  if (text === undefined || text.startsWith("/")) return path;
  return [text.replace(/\/$/, ""), ...below].join("/");
}
