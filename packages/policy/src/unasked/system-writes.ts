/**
 * Writes below `/etc`: by redirections, and by programs whose operands or options name what they write.
 *
 * Reading there is allowed. Paths are normalised as far as their text allows: repeated slashes, `..`, braces,
 * patterns, the folder that an earlier `cd` went to, and `/proc/self/root` in front. Links are not followed.
 */
import { posix } from "node:path";
import { type CommandAnalysis, type EffectiveCommand, type Redirection, type Word, wordsOf } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { braceWords } from "../brace-words.ts";
import type { PathContext } from "../danger-paths.ts";
import { GIVES_WORDS } from "../dangers/values/added.ts";
import { type Refusal, refuse } from "../finding.ts";
import { INTERPRETERS, inlineCode } from "./code-writes.ts";
import { writesHere } from "./here-writes.ts";
import { behind, operands, valuesOf, withoutValues } from "./option-values.ts";
import { tarTargets } from "./tar-targets.ts";

/** The folder each command runs in. */
export type FolderOf = (command: EffectiveCommand) => PathContext;

/** Looks at the commands of one line: why each writes below `/etc`, undefined where it does not. */
export function systemWrites(
  analysis: CommandAnalysis,
  folderOf: FolderOf,
): (command: EffectiveCommand) => Refusal | undefined {
  const listed = listedBelowEtc(analysis, folderOf);
  return (command) => {
    const { cwd } = folderOf(command);
    for (const program of programsIn(command)) {
      const target = targetIn(command, program, cwd, listed);
      if (target !== undefined) return refusal(`\`${program.name}\``, target);
    }
    return undefined;
  };
}

/** What a program writes below `/etc`. */
function targetIn(
  command: EffectiveCommand,
  { name, args }: Program,
  cwd: string | undefined,
  listed: Word | undefined,
): string | undefined {
  const own = targetsOf(name, args).find((word) => isBelowEtc(word, cwd));
  if (own !== undefined) return own.display;
  if (listed !== undefined && takesListed(command, name)) return listed.display;
  const isHere = isPathBelowEtc(".", { cwd, isPattern: false, isWhole: true });
  return inlineCode(name, args) ?? (isHere && writesHere(name, args) ? cwd : undefined);
}

/** The same of a redirection; `cwd` is the folder it is opened in. */
export function redirectsToSystem(
  { operator, target, text }: Redirection,
  cwd: string | undefined,
): Refusal | undefined {
  if (target === null || (operator.startsWith("<") && operator !== "<>")) return undefined;
  return isBelowEtc(target, cwd) ? refusal(`\`${text}\``, target.display) : undefined;
}

function refusal(what: string, path: string): Refusal {
  return refuse("system-write", "write", `${what} writes \`${path}\`, below \`/etc\``);
}

/** `/etc` and what is in it; of a word that expands what stands before the expansion. */
function isBelowEtc(word: Word, cwd: string | undefined): boolean {
  const { brace, glob, tilde } = word.expansions;
  if (tilde) return false;
  const known = word.value ?? (brace || glob ? word.display : word.leading);
  const texts = brace ? braceWords(known) : [known];
  return texts.some((text) =>
    isPathBelowEtc(text, { cwd, isPattern: glob, isWhole: word.value !== null || brace || glob }),
  );
}

function isPathBelowEtc(
  text: string,
  { cwd, isPattern, isWhole }: { cwd: string | undefined; isPattern: boolean; isWhole: boolean },
): boolean {
  if (!text.startsWith("/") && cwd === undefined) return false;
  // Before an expansion only whole names count: `/etc$x` may be `/etcetera`.
  const path = posix.resolve(cwd ?? "/", isWhole ? text : text.slice(0, text.lastIndexOf("/") + 1) || ".");
  if (!isWhole && !text.includes("/") && !(cwd ?? "").startsWith("/etc")) return false;
  const bare = path.replace(/^(?:\/proc\/(?:self|thread-self|\$\$|\d+)\/root|\/private)(?=\/)/, "");
  const [, first = ""] = bare.split("/");
  return first === "etc" || (isPattern && /[*?[]/.test(first) && matchesEtc(first));
}

function matchesEtc(pattern: string): boolean {
  const source = pattern.replaceAll(/\[[^\]]*\]|[*?]|[^*?[]+|\[/g, (part) => {
    if (part === "*") return ".*";
    return part === "?" || part.startsWith("[") ? "." : part.replaceAll(/[.+^${}()|\]\\]/g, String.raw`\$&`);
  });
  return pattern.length <= 16 && new RegExp(`^${source}$`).test("etc");
}

/** What a program writes, by its arguments. */
type Targets = (args: readonly Word[]) => readonly (Word | undefined)[];

const all: Targets = operands;
/** Everything but the first operand, which is a mode, an owner or a script. */
const behindFirst: Targets = (args) => operands(args).slice(1);
/** The last operand, or the folder of `-t`. */
const last: Targets = (args) => {
  const folder = valuesOf(args, /^-[a-zA-Z]*t$/, /^--target-directory(?:=|$)/);
  return folder.length > 0 ? folder : operands(args).slice(-1);
};
const values =
  (short: RegExp, long: RegExp): Targets =>
  (args) =>
    valuesOf(args, short, long);
/** Without standard output. */
const files = (words: readonly Word[]): Word[] => words.filter(({ value }) => value !== "-");
const inPlace =
  (flag: RegExp, behind: Targets): Targets =>
  (args) =>
    args.some(({ value }) => flag.test(value ?? "")) ? behind(args) : [];

const WRITERS: ReadonlyMap<string, Targets> = new Map<string, Targets>([
  ...["tee", "rm", "rmdir", "unlink", "shred", "mkdir", "mkfifo", "mknod", "mv", "sponge"].map(
    (name): [string, Targets] => [name, all],
  ),
  ["touch", (args) => operands(withoutValues(args, /^-[a-zA-Z]*[rdt]$|^--(?:reference|date)$/))],
  ["truncate", (args) => operands(withoutValues(args, /^-[a-zA-Z]*[rs]$|^--(?:reference|size)$/))],
  ...["ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "fallocate", "restorecon", "visudo"].map(
    (name): [string, Targets] => [name, all],
  ),
  ...["chmod", "chown", "chgrp", "chattr", "setfacl", "setcap"].map((name): [string, Targets] => [name, behindFirst]),
  ...["cp", "rsync", "scp", "rclone"].map((name): [string, Targets] => [name, last]),
  ["install", (args) => (args.some(({ value }) => /^-[a-zA-Z]*d/.test(value ?? "")) ? operands(args) : last(args))],
  ["ln", (args) => (operands(args).length === 1 ? [] : last(args))],
  ["dd", (args) => args.flatMap((word) => (/^of=/.test(word.leading) ? [behind(word, 3)] : []))],
  ...["sed", "gsed"].map((name): [string, Targets] => [name, inPlace(/^-[nErsuz]*i|^--in-place/, behindScript)]),
  ...["perl", "ruby"].map((name): [string, Targets] => [name, inPlace(/^-[^\WMmIrfvFeE]*i/, behindScript)]),
  ...["awk", "gawk"].map((name): [string, Targets] => [name, inPlace(/inplace/, behindScript)]),
  ...["gzip", "gunzip", "xz", "unxz", "bzip2", "bunzip2", "zstd", "unzstd"].map((name): [string, Targets] => [
    name,
    (args) =>
      args.some(({ value }) => /^-[a-zA-Z0-9]*[clt]|^--(?:stdout|list|test)/.test(value ?? "")) ? [] : all(args),
  ]),
  ["tar", tarTargets],
  ["bsdtar", tarTargets],
  ["unzip", values(/^-[a-zA-Z]*d$/, /^--extract-dir/)],
  ["7z", (args) => args.flatMap((word) => (/^-o./.test(word.leading) ? [behind(word, 2)] : []))],
  [
    "patch",
    (args) => [...operands(args).slice(0, 1), ...valuesOf(args, /^-[a-zA-Z]*[do]$/, /^--(?:directory|output)/)],
  ],
  ["curl", (args) => files(valuesOf(args, /^-[a-zA-Z#]*o$/, /^--output(?:-dir)?(?:=|$)/))],
  [
    "wget",
    (args) => files(valuesOf(args, /^-[a-zA-Z]*[OPoa]$/, /^--(?:output-document|output-file|directory-prefix)/)),
  ],
  ["sort", values(/^-[a-zA-Z]*o$/, /^--output/)],
  ["openssl", values(/^-(?:key)?out$/, /^--?out$/)],
  ["ssh-keygen", values(/^-[a-zA-Z]*f$/, /^--file$/)],
  ["git", (args) => operands(args.slice(args.findIndex(({ value }) => value === "clone") + 1 || args.length)).slice(1)],
  ["find", findTargets],
  ["gfind", findTargets],
]);

interface Program {
  readonly name: string;
  readonly args: readonly Word[];
}

function programsIn({ argv, unresolved }: EffectiveCommand): Program[] {
  const first = programName(firstValue(argv));
  if (unresolved === undefined || INTERPRETERS.test(first)) return [{ name: first, args: argv.slice(1) }];
  return argv.flatMap((word, at) => {
    const name = programName(word.value ?? "");
    return WRITERS.has(name) ? [{ name, args: argv.slice(at + 1) }] : [];
  });
}

function targetsOf(name: string, args: readonly Word[]): Word[] {
  const targets = WRITERS.get(name)?.(args) ?? [];
  return targets.flatMap((word) => word ?? []);
}

/** The files of a program whose script stands in an option or in its first operand: `/etc/d` of `sed` is not a path. */
function behindScript(args: readonly Word[]): Word[] {
  const script = /^-[a-zA-Z0]*[eEf]$|^--(?:expression|file|source|include)$/;
  const valued = /^-[a-zA-Z0]*[eEfv]$|^--(?:expression|file|source|include|assign)$/;
  const rest = operands(withoutValues(args, valued)).filter(({ value }) => value !== "inplace");
  const isGiven = args.some(({ value }) => script.test(value ?? "") || /^-e.|^--expression=/.test(value ?? ""));
  return isGiven ? rest : rest.slice(1);
}

/** Where `find` starts, if it removes or changes what it finds; and the files it writes lists to. */
function findTargets(args: readonly Word[]): Word[] {
  const texts = args.map(({ value }) => value ?? "");
  const written = args.filter((_, at) => /^-f(?:print0?|printf|ls)$/.test(texts[at - 1] ?? ""));
  const acts = texts.some(
    (text, at) => text === "-delete" || (/^-(?:exec|ok)(?:dir)?$/.test(text) && changes(texts.slice(at + 1))),
  );
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-(?:[HLP]|O\d?|D)$/.test(text));
  return acts ? [...written, ...args.slice(0, first === -1 ? args.length : first)] : written;
}

const WRITES_LAST: ReadonlySet<string> = new Set(["cp", "install", "ln", "rsync", "scp"]);

/** Whether a program that `find` runs for its files changes them. */
function changes(words: readonly string[]): boolean {
  const at = words.findIndex((word) => WRITERS.has(programName(word)));
  const end = words.findIndex((word) => word === ";" || word === "+");
  if (at === -1 || (end !== -1 && at > end)) return false;
  const args = words.slice(at + 1, end === -1 ? undefined : end);
  const name = programName(words[at] ?? "");
  return WRITES_LAST.has(name) ? args.at(-1) === "{}" : changesGiven(name, args);
}

const READS_OPERANDS: ReadonlySet<string> = new Set(["tar", "curl", "wget", "git"]);

/** Whether `xargs` gives a program what it changes: what the commands before it list. */
function takesListed(command: EffectiveCommand, name: string): boolean {
  if (!command.via.some((each) => GIVES_WORDS.has(each)) || !WRITERS.has(name)) return false;
  const words = wordsOf(command).slice(1);
  // What `cp a` is given last is where it copies to.
  if (WRITES_LAST.has(name)) return last(words).some(isListed);
  return (
    !READS_OPERANDS.has(name) &&
    changesGiven(
      name,
      command.argv.flatMap(({ value }) => value ?? []),
    )
  );
}

/** What `xargs` puts in the place of its placeholder, or adds at the end. */
function isListed(word: Word | undefined): boolean {
  return word?.expansions.input === true;
}

/** Whether a program changes its files: one that filters does so in place only. A letter with a value ends a bundle. */
function changesGiven(name: string, args: readonly string[]): boolean {
  return (
    !/^(?:g?sed|perl|ruby|g?awk)$/.test(name) ||
    args.some((word) => /^-[^\WMmIrfvFeE]*i|^--in-place|inplace/.test(word))
  );
}

/** The first word below `/etc` that a command hands on through a pipe. */
export function listedBelowEtc({ effective }: CommandAnalysis, folderOf: FolderOf): Word | undefined {
  for (const command of effective) {
    const { argv, simple } = command;
    if (!simple.context.writesPipe || !LISTERS.test(programName(firstValue(argv)))) continue;
    const found = argv.slice(1).find((word) => isBelowEtc(word, folderOf(command).cwd));
    if (found !== undefined) return found;
  }
  return undefined;
}

const LISTERS = /^(?:echo|printf|ls|find|gfind|fd|fdfind|locate|grep|rg)$/;
