/**
 * What `fd -x` and `fd -X` do to what `fd` finds: the same as `find -exec`, with tests of its own.
 *
 * A pattern is a regular expression that matches anywhere in a name, so that `.`, the empty one and `e` find folders of
 * the system. Source: the manual of fd 10.3; that an attached value (`-xrm`) is the whole command was tried with fd 8.6.
 */
import type { Word } from "@pi-bash/command";
import type { Folder } from "../../danger-paths.ts";
import type { Refusal } from "../../finding.ts";
import { type Places, placesBelow } from "../../protected-folders.ts";
import type { DangerCall, DangerJudge } from "../call.ts";
import { folderAt } from "../folders.ts";
import { type GivenOptions, type OptionGrammar, optionsNamed, readGivenOptions } from "../given-options.ts";
import { type Field, knownText, textField } from "../values/fields.ts";
import { effectsOf } from "./effects.ts";
import { type NamePattern, readBraceGlob, readGlob, readLiteral, readUnanchored } from "./name-patterns.ts";
import { allOf, FILES_LEFT, oneOf, type Reach, SOME_LEFT, testNames, testPaths, WHOLE } from "./reach.ts";
import { judgeSearch } from "./searches.ts";

/** The judges of this file, by program. */
export const FD_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["fd", judgeFd],
  ["fdfind", judgeFd],
];

const GRAMMAR: OptionGrammar = {
  valued: "detESocjC",
  exactLong: true,
  longValued:
    "and max-depth min-depth exact-depth maxdepth exclude type extension size changed-within changed-before " +
    "change-newer-than change-older-than newer older owner format batch-size ignore-file color threads max-results " +
    "max-buffer-time search-path base-directory path-separator gen-completions ignore-contain",
};

function judgeFd(call: DangerCall): Refusal | undefined {
  const { commands } = withoutCommands(call.args);
  const beside = call.beside.filter(({ via }) => via.includes("fd --exec"));
  const effects = effectsOf([...beside, ...commands.map((argv) => ({ argv }))]);
  if (!effects.removes && !effects.moves && !effects.changesModes) return undefined;
  const { reach, starts, folder } = readFd(call);
  return judgeSearch("`fd`", [{ ...effects, reach, sparesStart: false }], starts, { folder });
}

/** A call of `fd` with the values that the line gives to its words. */
export interface FdSearch {
  readonly commands: readonly (readonly Word[])[];
  readonly reach: Reach;
  readonly starts: readonly Field[];
  readonly folder: Folder;
}

/** Reads a call of `fd`. */
export function readFd(call: DangerCall): FdSearch {
  const { own, commands } = withoutCommands(call.args);
  const given = readGivenOptions({ ...call, args: own, added: undefined }, GRAMMAR);
  const folder = baseFolder(given, call.folder);
  const starts = startsOf(given);
  return { commands, reach: reachOf(given, placesBelow(starts, folder)), starts, folder };
}

interface FdWords {
  /** The words of `fd` itself. */
  readonly own: readonly Word[];
  readonly commands: readonly (readonly Word[])[];
}

/** Takes the commands out: up to `;` behind `-x`, or what is attached to it. */
function withoutCommands(args: readonly Word[]): FdWords {
  const commands: (readonly Word[])[] = [];
  const own: Word[] = [];
  let next = 0;
  for (const [at, word] of args.entries()) {
    if (at < next) continue;
    if (word.value === "--") return { own: [...own, ...args.slice(at)], commands };
    const attached = attachedCommand(word.value ?? "");
    if (attached === undefined) own.push(word);
    else if (attached !== "") commands.push([{ ...word, value: attached }]);
    else {
      for (next = at + 1; next < args.length && args[next]?.value !== ";"; ) next++;
      commands.push(args.slice(at + 1, next++));
    }
  }
  return { own, commands };
}

/** What is attached to `-x` or `--exec`; undefined where the word has neither. */
function attachedCommand(text: string): string | undefined {
  const match = /^(?:--exec(?:-batch)?(?:=|$)|-[^-xXdetESocjC][^xXdetESocjC]*[xX]=?|-[xX]=?)(.*)$/s.exec(text);
  return match?.[1];
}

function baseFolder(given: GivenOptions, here: Folder): Folder {
  const fields = optionsNamed(given, "--base-directory", "-C").at(-1)?.values ?? [];
  const [field, ...more] = fields;
  if (field === undefined) return here;
  return folderAt(more.length === 0 ? knownText(field) : undefined, here);
}

function startsOf(given: GivenOptions): readonly Field[] {
  const searched = optionsNamed(given, "--search-path").flatMap(({ values }) => values);
  const starts = searched.length > 0 ? searched : given.operands.slice(1);
  return starts.length > 0 ? starts : [textField(".")];
}

/** What the tests leave; a start itself is never found. */
function reachOf(given: GivenOptions, places: Places): Reach {
  const patterns = [...given.operands.slice(0, 1), ...optionsNamed(given, "--and").flatMap(({ values }) => values)];
  const distinct = new Map(patterns.map((field) => [JSON.stringify(field), field]));
  const test = patternTest(given, places);
  const tests = [...[...distinct.values()].map(test), ...byExtension(given, places), ...byType(given), ...byAge(given)];
  return { ...allOf([WHOLE, ...tests]), start: "yes" };
}

/** How patterns are meant. */
function patternTest(given: GivenOptions, places: Places): (field: Field) => Reach {
  const read = patternReader(given);
  const isFull = optionsNamed(given, "-p", "--full-path").length > 0;
  // Without capitals a pattern ignores case, and options may ask for that.
  const how = { ignoresCase: true, shallow: isShallow(given) };
  return (field) => {
    const text = knownText(field);
    if (text === undefined) return SOME_LEFT;
    return isFull ? testPaths(read(text), places, true) : testNames(read(text), places, how);
  };
}

function patternReader(given: GivenOptions): (text: string) => NamePattern {
  if (optionsNamed(given, "-F", "--fixed-strings").length > 0) {
    return (text) => readLiteral(text).map((tokens) => [{ kind: "any" }, ...tokens, { kind: "any" }]);
  }
  return optionsNamed(given, "-g", "--glob").length > 0 ? readBraceGlob : readUnanchored;
}

function isShallow(given: GivenOptions): boolean {
  const depths = optionsNamed(given, "-d", "--max-depth", "--maxdepth", "--exact-depth").flatMap(
    ({ values }) => values,
  );
  return depths.some((field) => knownText(field) === "1");
}

/** `-e tmp` is `*.tmp`. */
function byExtension(given: GivenOptions, places: Places): readonly Reach[] {
  const endings = optionsNamed(given, "-e", "--extension").flatMap(({ values }) => values);
  const how = { ignoresCase: true, shallow: isShallow(given) };
  const tests = endings.map((field) => {
    const text = knownText(field);
    return text === undefined ? SOME_LEFT : testNames(readGlob(`*.${text}`), places, how);
  });
  return tests.length > 0 ? [oneOf(tests)] : [];
}

/** Files alone take nothing with them; `empty` may be folders, too. */
function byType(given: GivenOptions): readonly Reach[] {
  const types = optionsNamed(given, "-t", "--type").flatMap(({ values }) => values.map(knownText));
  const areFiles = types.length > 0 && types.every((type) => /^(?:[flxspbc]|[flxspbc]\w+-?\w*)$/.test(type ?? ""));
  return areFiles ? [{ ...FILES_LEFT, devices: types.some((type) => /^[bc]/.test(type ?? "")) ? "no" : "yes" }] : [];
}

function byAge(given: GivenOptions): readonly Reach[] {
  const ages = optionsNamed(given, "--changed-within", "--changed-before", "--change-newer-than", "--newer", "--older");
  return ages.length > 0 ? [SOME_LEFT] : [];
}
