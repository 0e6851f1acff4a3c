/**
 * Calls of aliases that the same text defines: `alias z='rm -rf'`, and `z /` on a later line.
 *
 * Bash puts the text of an alias in the place of its name before it parses the command, so the call is written out and
 * read once more. Whether aliases are on, and whether the definition is read before the call, is not looked at: both
 * are found for deny rules and hard blocks alone. Source: bash(1), "ALIASES".
 *
 * A name that `hash -p` or `BASH_CMDS` gives a program is read as an alias of its path.
 */
import { DECLARES } from "./builtins.ts";
import { singleQuoted } from "./fixups.ts";
import type { SimpleCommand } from "./syntax.ts";
import type { EffectiveCommand } from "./unwrap-state.ts";
import { type WalkedText, walkText } from "./walk.ts";
import { firstValue, type Word } from "./word.ts";

/** Calls of one text that are written out, those inside others included. */
const MAX_CALLS = 256;
/** Longest call, in UTF-16 units: each alias may hold the next twice. */
const MAX_CHARS = 4_096;

/** Words that bash looks for behind the aliases. */
const RESERVED = "! { } [[ time coproc if then elif else fi case esac for select while until do done in function".split(
  " ",
);

/** The text of an alias, as source. */
interface Alias {
  readonly text: string;
  /** It expanded where the alias was defined, and what came of it is read where that is called: as `eval` does it. */
  readonly evaluated: boolean;
}

/** By name; several texts where one is defined more than once. */
type Aliases = ReadonlyMap<string, readonly Alias[]>;

/** A call as it is read, and as it is written. */
export interface AliasCall {
  readonly facts: WalkedText;
  readonly written: SimpleCommand;
}

/** What the calls of a text come to. */
export interface AliasCalls {
  readonly calls: readonly AliasCall[];
  /** A command that was not written out, because there are too many calls, or as it does not end where its line ends. */
  readonly exceeding?: SimpleCommand;
}

/** A command that may be a call, and the aliases that led to it: inside of its own text an alias is a plain word. */
interface Waiting {
  readonly command: SimpleCommand;
  readonly from: SimpleCommand;
  readonly inside: readonly string[];
}

/** The calls of aliases among the commands of a text; `running` are the commands that may define them. */
export function aliasCalls(commands: readonly SimpleCommand[], running: readonly EffectiveCommand[]): AliasCalls {
  const aliases = aliasesOf(commands, running);
  const [first] = commands;
  if (aliases.size === 0 || first === undefined) return { calls: [] };
  // Where such a word stands, the line means something else.
  if (RESERVED.some((word) => aliases.has(word))) return { calls: [], exceeding: first };
  const calls: AliasCall[] = [];
  const waiting: Waiting[] = commands.map((command) => ({ command, from: command, inside: [] }));
  for (const next of waiting) {
    for (const call of callsBy(next, aliases)) {
      if (call === undefined || calls.length >= MAX_CALLS) return { calls, exceeding: next.from };
      calls.push(call);
      const inside = [...next.inside, nameOf(next)];
      // The loop goes on to these.
      for (const command of call.facts.commands) waiting.push({ command, from: next.from, inside });
    }
  }
  return { calls };
}

/** A command as each alias of its name makes it; undefined for one that is not read. */
function callsBy(next: Waiting, aliases: Aliases): readonly (AliasCall | undefined)[] {
  const { command, from, inside } = next;
  if (inside.includes(nameOf(next))) return [];
  return (aliases.get(nameOf(next)) ?? []).map((alias) => {
    const text = writtenOut(command, alias, aliases);
    if (text.length > MAX_CHARS) return undefined;
    const facts = walkText(text, { span: from.span, context: from.context });
    // A text that only makes a command with what stands on other lines.
    return facts.errors.length > 0 ? undefined : { facts, written: from };
  });
}

function nameOf({ command }: Waiting): string {
  return command.argv[0]?.text ?? "";
}

function aliasesOf(commands: readonly SimpleCommand[], running: readonly EffectiveCommand[]): Aliases {
  const aliases = new Map<string, Alias[]>();
  const assignments = commands.flatMap((command) => command.assignments).map(({ text }) => tableEntries(text));
  for (const [name, alias] of [...running.flatMap(definedBy), ...assignments.flat()]) {
    const known = aliases.get(name) ?? [];
    if (!known.some(({ text }) => text === alias.text)) aliases.set(name, [...known, alias]);
  }
  return aliases;
}

/** A name, and what it stands for. */
type Entry = readonly [name: string, alias: Alias];

/** What a builtin defines. */
function definedBy({ argv }: EffectiveCommand): readonly Entry[] {
  const [builtin, words] = [firstValue(argv), argv.slice(1)];
  if (builtin === "hash") return hashed(words);
  if (DECLARES.has(builtin)) return words.flatMap(({ text }) => tableEntries(text));
  if (builtin !== "alias") return [];
  return words.flatMap((word): Entry[] => {
    const name = NAME.exec(word.leading)?.[1];
    return name === undefined ? [] : [[name, aliasOf(word, name)]];
  });
}

/** What begins an assignment to bash's tables of aliases and of paths. */
const TABLE = /^(?:BASH_ALIASES|BASH_CMDS)(?:\[|\+?=)/;

/** `hash -p /bin/rm z`: from then on `z` is that program. */
function hashed(words: readonly Word[]): readonly Entry[] {
  const at = words.findIndex(({ leading }) => /^-[dlrt]*p/.test(leading));
  const option = words[at];
  if (option === undefined) return [];
  const attached = option.text.replace(/^-[dlrt]*p/, "");
  const path = attached === "" ? words[at + 1]?.text : attached;
  if (path === undefined) return [];
  const names = words.slice(attached === "" ? at + 2 : at + 1).flatMap(({ value }) => value ?? []);
  return names.map((name) => [name, { text: path, evaluated: false }]);
}

const NAME = /^([^=$`'"\s/]+)=/;

function aliasOf({ value, text }: Word, name: string): Alias {
  if (value !== null) return { text: value.slice(name.length + 1), evaluated: false };
  return { text: text.replace(`${name}=`, ""), evaluated: true };
}

const ELEMENT = /\[["']?([\w.:+-]+)["']?\]\+?=("[^"]*"|'[^']*'|[^\s()]+)/g;

/** `BASH_ALIASES[z]=text` and `BASH_ALIASES=([z]=text)`; nothing for another assignment. */
function tableEntries(assignment: string): readonly Entry[] {
  if (!TABLE.test(assignment)) return [];
  return [...assignment.matchAll(ELEMENT)].map(([, key = "", source = ""]) => {
    const value = walkText(`: ${source}`).commands[0]?.argv[1]?.value ?? null;
    return [key, value === null ? { text: source, evaluated: true } : { text: value, evaluated: false }];
  });
}

/** A call with the text of its alias in the place of the name. */
function writtenOut(command: SimpleCommand, alias: Alias, aliases: Aliases): string {
  const args = command.argv.slice(1).map(({ text }) => text);
  const words = alias.evaluated
    ? ["eval", alias.text, ...args.map(singleQuoted)]
    : [alias.text, ...behind(alias, args, aliases)];
  const after = command.redirections.map(({ text, body, descriptor = "" }) =>
    body === undefined ? text : `${descriptor}<<<${singleQuoted(body)}`,
  );
  return [...command.assignments.map(({ text }) => text), ...words, ...after].join(" ");
}

/** The words behind an alias. One that ends in a blank lets the next word be an alias as well. */
function behind(alias: Alias, args: readonly string[], aliases: Aliases): readonly string[] {
  const texts: string[] = [];
  for (let last: Alias | undefined = alias; last !== undefined && /[ \t]$/.test(last.text); ) {
    last = aliases.get(args[texts.length] ?? "")?.at(-1);
    if (last !== undefined) texts.push(last.text);
  }
  return [...texts, ...args.slice(texts.length)];
}
