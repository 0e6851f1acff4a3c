/**
 * The settings that a git call or the line around it makes: `-c KEY=VALUE`, `config KEY VALUE`, `--config-env`, and the
 * variables `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0` and `GIT_CONFIG_PARAMETERS`.
 *
 * Sources: git(1), git-config(1), "ENVIRONMENT"; `GIT_CONFIG_PARAMETERS` is how git hands `-c` to the git below it.
 */
import { DECLARES } from "./builtins.ts";
import type { Assignment, SimpleCommand } from "./syntax.ts";
import { attachedWord, firstValue, literalWord, type Word } from "./word.ts";

/** A setting. */
export interface GitSetting {
  readonly key: string;
  readonly value: Word;
  /** Index of its last word among those of the call; 0 where it comes from elsewhere. */
  readonly at: number;
}

/** What a line says of git beside one call. */
export interface GitAround {
  /** What the line gives variables, for all that it runs. */
  readonly variables: ReadonlyMap<string, readonly Word[]>;
  /** Aliases that `git config` makes. */
  readonly aliases: readonly GitSetting[];
  /** Aliases that led here: git does not look for them again. */
  readonly inside: readonly string[];
}

/** Nothing is known of git. */
export const NO_GIT: GitAround = { variables: new Map(), aliases: [], inside: [] };

/** Settings of variables that are looked at. */
const MAX_SETTINGS = 64;

const ALIAS = /^alias\./i;

/** True for the key of an alias. */
export function isAlias({ key }: GitSetting): boolean {
  return ALIAS.test(key);
}

/** The name that an alias is called by; git does not distinguish its case. */
export function aliasName({ key }: GitSetting): string {
  return key
    .slice("alias.".length)
    .replace(/\.command$/i, "")
    .toLowerCase();
}

/** The settings in `-c KEY=VALUE`, `config KEY VALUE` and `clone --config KEY=VALUE`. */
export function settingsOfCall(argv: readonly Word[]): readonly GitSetting[] {
  const isConfig = isConfigCall(argv);
  return argv.flatMap((word, at): GitSetting[] => {
    const given = word.leading.startsWith("--config=") ? attachedWord(word, "--config=".length) : word;
    const equals = given.leading.indexOf("=");
    const before = argv[at - 1]?.value ?? "";
    if (equals > 0 && (given !== word || before === "-c" || before === "--config")) {
      return [{ key: given.leading.slice(0, equals), value: attachedWord(given, equals + 1), at }];
    }
    const value = argv[at + 1];
    return isConfig && word.value !== null && value !== undefined ? [{ key: word.value, value, at: at + 1 }] : [];
  });
}

/** True for a call that may set something for later ones. */
function isConfigCall(argv: readonly Word[]): boolean {
  return argv.some(({ value }) => value === "config");
}

/** What variables set for a call. */
export interface VariableSettings {
  readonly settings: readonly GitSetting[];
  /** There are more. */
  readonly exceeded: boolean;
}

/** The settings that variables make for a call; `given` are those of the call alone. */
export function settingsOfVariables(
  argv: readonly Word[],
  given: readonly Assignment[],
  { variables }: GitAround,
): VariableSettings {
  const valuesOf = (name: string): readonly Word[] => [
    ...(variables.get(name) ?? []),
    ...given.flatMap((each) => (each.name === name && each.value !== null ? [each.value] : [])),
  ];
  const keys = [...variables.keys(), ...given.map(({ name }) => name)].filter((name) => KEYS.test(name));
  const settings = [
    ...[...new Set(keys)]
      .slice(0, MAX_SETTINGS + 1)
      .flatMap((name) => pairs(valuesOf(name), valuesOf(valueName(name)))),
    ...valuesOf("GIT_CONFIG_PARAMETERS").flatMap(inParameters),
    ...namedByOptions(argv).flatMap(({ key, variable }) => pairs([key], valuesOf(variable))),
  ];
  return { settings: settings.slice(0, MAX_SETTINGS), exceeded: settings.length > MAX_SETTINGS };
}

const KEYS = /^GIT_CONFIG_KEY_\d+$/;

function valueName(key: string): string {
  return key.replace("KEY", "VALUE");
}

/** Each key with each value; what the line does not set, the session may have. */
function pairs(keys: readonly Word[], values: readonly Word[]): readonly GitSetting[] {
  return keys.slice(0, MAX_SETTINGS).flatMap((key) => {
    const all = values.length === 0 ? [unknownWord(key)] : values.slice(0, MAX_SETTINGS);
    return all.map((value) => ({ key: key.value ?? "alias.", value, at: 0 }));
  });
}

/** What a variable holds that the line does not set. */
function unknownWord(word: Word): Word {
  return { ...word, value: null, leading: "", splits: true };
}

/** `'KEY=VALUE'` or `'KEY'='VALUE'`, any number of them; git writes a quote and an exclamation mark outside of quotes. */
const PARAMETER = /'((?:[^']|'\\['!]')*)'(?:='((?:[^']|'\\['!]')*)')?/g;

function inParameters(word: Word): readonly GitSetting[] {
  const { value, span } = word;
  if (value === null) return [{ key: "alias.", value: unknownWord(word), at: 0 }];
  return [...value.matchAll(PARAMETER)].slice(0, MAX_SETTINGS + 1).map(([, first = "", second]) => {
    const text = unquoted(first);
    const equals = text.indexOf("=");
    if (second !== undefined) return { key: text, value: literalWord(unquoted(second), span), at: 0 };
    return { key: text.slice(0, Math.max(equals, 0)), value: literalWord(text.slice(equals + 1), span), at: 0 };
  });
}

function unquoted(text: string): string {
  return text.replaceAll(/'\\(['!])'/g, "$1");
}

interface NamedByOption {
  readonly key: Word;
  readonly variable: string;
}

/** `--config-env=KEY=VARIABLE`, and the same in two words. */
function namedByOptions(argv: readonly Word[]): readonly NamedByOption[] {
  return argv.flatMap(({ value, span }, at) => {
    const text = value?.startsWith("--config-env=") ? value.slice("--config-env=".length) : value;
    if (text === value && argv[at - 1]?.value !== "--config-env") return [];
    const equals = (text ?? "").lastIndexOf("=");
    if (text == null || equals < 1) return [];
    return [{ key: literalWord(text.slice(0, equals), span), variable: text.slice(equals + 1) }];
  });
}

/** What the commands of one text say of git for each other, added to what is known around the text. */
export function gitAround(commands: readonly SimpleCommand[], around: GitAround = NO_GIT): GitAround {
  const variables = new Map(around.variables);
  for (const { name, value } of commands.flatMap(variablesOf)) {
    const known = variables.get(name) ?? [];
    const isNew = value !== null && !known.some(({ text }) => text === value.text);
    if (isNew && known.length <= MAX_SETTINGS) variables.set(name, [...known, value]);
  }
  const aliases = new Map(around.aliases.map((alias) => [aliasKey(alias), alias]));
  for (const { argv } of commands) {
    if (!/(?:^|\/)git$/.test(firstValue(argv)) || !isConfigCall(argv)) continue;
    for (const alias of settingsOfCall(argv).filter(isAlias)) aliases.set(aliasKey(alias), { ...alias, at: 0 });
  }
  return { ...around, variables, aliases: [...aliases.values()] };
}

function aliasKey({ key, value }: GitSetting): string {
  return `${key.toLowerCase()}=${value.text}`;
}

/** Assignments that stand alone, and those of `export`. */
function variablesOf({ argv, assignments, span }: SimpleCommand): readonly Assignment[] {
  if (argv.length === 0) return assignments;
  if (!DECLARES.has(argv.find(({ value }) => value !== "builtin" && value !== "command")?.value ?? "")) return [];
  return argv.flatMap((word): readonly Assignment[] => {
    const head = /^([A-Za-z_]\w*)=/.exec(word.leading);
    if (head?.[1] === undefined) return [];
    return [{ name: head[1], value: attachedWord(word, head[0].length), append: false, text: word.text, span }];
  });
}
