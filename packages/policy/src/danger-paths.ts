/**
 * Which paths stand for the system, a home directory or the folders above the workspace.
 *
 * A path is normalised as far as its text allows: `~`, `$HOME`, repeated slashes, `.` and `..`, a trailing `/` or
 * `/*`, braces, and the directory an earlier `cd` of the same line went to. Symbolic links are not followed: this
 * judges text, the sandbox judges files.
 */
import { posix } from "node:path";
import type { Word } from "@pi-bash/command";

/** What is known about places when a command runs. */
export interface PathContext {
  /** Working directory of the command, absolute; undefined when unknown. */
  readonly cwd?: string | undefined;
  /** Home directory of the user, absolute. */
  readonly home?: string | undefined;
  /** Root of the workspace, absolute. */
  readonly workspace?: string | undefined;
}

const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(
  "/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/lib /usr/sbin /var /Applications /Library /System /Users /Volumes /private".split(
    " ",
  ),
);

/** Most words that braces are expanded to here. */
const MAX_BRACE_WORDS = 64;
/** Longest word whose braces are expanded here, in UTF-16 units. */
const MAX_BRACE_CHARS = 1_024;

/** Says what a word stands for when that is a place nobody removes: "the root folder `/`"; undefined otherwise. */
export function classifyTarget(word: Word, context: PathContext): string | undefined {
  for (const text of word.expansions.brace ? braceWords(word.display) : [word.display]) {
    const found = classifyPath(text, word, context);
    if (found !== undefined) return found;
  }
  return undefined;
}

function classifyPath(text: string, word: Word, context: PathContext): string | undefined {
  const whole = withoutGlob(text);
  if (isHomeText(whole, word)) return "the home directory";
  if (/[$`]/.test(whole) || (word.expansions.tilde && whole.startsWith("~"))) return undefined;
  if (!whole.startsWith("/") && context.cwd === undefined) return undefined;
  const resolved = trimSlash(posix.resolve(context.cwd ?? "/", whole === "" ? "." : whole));
  const path = word.expansions.glob ? matchedFolder(resolved) : resolved;
  if (SYSTEM_FOLDERS.has(path)) return path === "/" ? "the root folder `/`" : `the system folder \`${path}\``;
  if (path === context.home || /^\/(?:home|Users)\/[^/]+$/.test(path)) return `the home directory \`${path}\``;
  if (context.workspace?.startsWith(`${path}/`) === true) return `\`${path}\`, a folder above the workspace`;
  return undefined;
}

/** Most `*` of a pattern that is looked at: each makes matching slower, and no honest path has many. */
const MAX_STARS = 8;

/** A system folder that a pattern such as `/e*`, `/?tc` or `/[e]tc` matches; the pattern itself where there is none. */
function matchedFolder(pattern: string): string {
  if (!/[*?[]/.test(pattern) || pattern.split("*").length > MAX_STARS) return pattern;
  const source = pattern.replaceAll(/\[[^\]]*\]|[*?]|[^*?[]+|\[/g, (part) => {
    if (part === "*") return "[^/]*";
    // What a bracket holds is not read: it is taken for any character, too often blocked rather than too seldom.
    return part === "?" || part.startsWith("[") ? "[^/]" : part.replaceAll(/[.+^${}()|\]\\]/g, String.raw`\$&`);
  });
  const whole = new RegExp(`^${source}$`);
  return [...SYSTEM_FOLDERS].find((folder) => folder !== "/" && whole.test(folder)) ?? pattern;
}

/** `/*`, `/.*` and `/.` at the end name everything in the folder before them. */
function withoutGlob(text: string): string {
  const bare = text.replace(/(?:\/|^)(?:\*+|\.\*|\.\[!\.\]\*|\?\*)$/, (match) => (match.startsWith("/") ? "/" : ""));
  return bare;
}

function isHomeText(text: string, word: Word): boolean {
  const path = text.replaceAll(/\/(?:\.?\/)+/g, "/").replace(/\/\.?$/, "");
  // `${HOME:?}`, `${HOME%/}`: whatever stands behind the name, it is the home directory or nothing at all.
  if (/^(?:\$HOME|\$\{HOME(?:[:%#?+-][^}/]*\/?)?\})$/.test(path)) return word.expansions.variable;
  return word.expansions.tilde && /^~\w*$/.test(path);
}

function trimSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, "") : path;
}

/** The words of `{a,b}`, nested too, as bash makes them; the word itself where there is no comma. */
export function braceWords(text: string): string[] {
  const done: string[] = [];
  const left = text.length <= MAX_BRACE_CHARS ? [text] : [];
  for (let word = left.pop(); word !== undefined; word = left.pop()) {
    const match = /^([\s\S]*?)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(word);
    const [, head = "", inner = "", tail = ""] = match ?? [];
    if (match === null || done.length + left.length >= MAX_BRACE_WORDS) done.push(word);
    else left.push(...inner.split(",", MAX_BRACE_WORDS).map((part) => `${head}${part}${tail}`));
  }
  return done.length === 0 ? [text] : done;
}
