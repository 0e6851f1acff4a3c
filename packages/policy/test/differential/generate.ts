/**
 * Makes cases: programs of the read-only tables with each of their options, attacks, wrappers and words that the line does not show.
 *
 * The same seed makes the same cases, given the same programs; most are refused by `classify`, and only what it calls
 * read-only is run.
 */
import { pick, type Random, seededRandom } from "../../../../test/support/random.ts";
import type { Case } from "./case.ts";
import { mangled } from "./mangle.ts";
import type { Option } from "./options.ts";
import { COMMON_ATTACKS, KNOWN, type Known } from "./programs.ts";
import { draft, finish, quoted, spell } from "./spell.ts";
import { SCRIPTS, TEXTS } from "./texts.ts";
import { APPENDERS, enclose, ending, PREFIXES } from "./wrappers.ts";

/** A program with what is known of it. */
export interface Subject {
  /** The words that name it: `["sort"]`, `["git", "log"]`. */
  readonly words: readonly string[];
  readonly options: readonly Option[];
}

/** Values for options: harmless ones, files to write, commands, hosts, placeholders. */
const VALUES: readonly string[] = [
  "1",
  "README.md",
  "src",
  "all",
  "pwned",
  "./evil",
  "evil.args",
  "touch /tmp/pwned",
  "|touch /tmp/pwned",
  "!touch /tmp/pwned",
  "@evil.args",
  "x.evil.example",
  "x.evil.example:a",
  "{}",
  "/tmp/pwned",
  "never",
  "%n",
  "now",
  "a=b",
  "-",
  "$(touch /tmp/pwned)",
  'system("./evil")',
];

/** Every option of every program, before and behind its operands. */
export function* sweepOptions(subjects: readonly Subject[]): Generator<Case> {
  for (const { name, option, operands } of calls(subjects)) {
    yield { line: `${name} ${quoted(option.name)} ${operands}`.trim() };
    yield { line: `${name} ${operands} ${quoted(option.name)}`.trim() };
  }
}

/** Options of any program with values, attached, as the next word and with a word that is an option, without an end. */
export function* sampleValues(subjects: readonly Subject[], seed: number): Generator<Case> {
  const random = seededRandom(seed);
  for (;;) {
    const [each] = calls([pick(subjects, random)], random);
    if (each !== undefined) yield pick(withValues(each), random);
  }
}

function withValues({ name, option, operands, known }: Call): Case[] {
  const joint = option.name.startsWith("--") ? "=" : "";
  const given = quoted(option.name);
  // An option that goes without a value leaves the next word to be read as what it is.
  const hidden = [...(known.attacks ?? []), ...COMMON_ATTACKS].filter((words) => /^\S+$/.test(words));
  return [
    ...hidden.map((F) => ({ line: `${name} ${given} "$F" ${operands}`.trim(), env: { F } })),
    ...VALUES.flatMap((value) => [
      { line: `${name} ${given} ${quoted(value)} ${operands}`.trim() },
      { line: `${name} ${quoted(`${option.name}${joint}${value}`)} ${operands}`.trim() },
      { line: `${name} ${operands} ${given} ${quoted(value)}`.trim() },
    ]),
  ];
}

/** A program with one of its options and some operands. */
interface Call {
  readonly name: string;
  readonly option: Option;
  readonly operands: string;
  readonly known: Known;
}

/** Each option with each of the operands; one of them where they are drawn by lot. */
function* calls(subjects: readonly Subject[], random?: Random): Generator<Call> {
  for (const { words, options } of subjects) {
    // Behind a subcommand its own operands follow, which the random lines have.
    const known = knownOf(words);
    const name = words.map(quoted).join(" ");
    const shapes = words.length > 1 ? [""] : (known.operands ?? [""]);
    for (const operands of random === undefined ? shapes : [pick(shapes, random)]) {
      for (const option of random === undefined ? options : [pick(options, random)]) {
        yield { name, option, operands: operandText(operands), known };
      }
    }
  }
}

/** Random cases without an end. */
export function* randomCases(subjects: readonly Subject[], seed: number): Generator<Case> {
  const random = seededRandom(seed);
  for (;;) {
    const roll = random();
    if (roll < 0.05) yield text(random);
    else if (roll < 0.14) yield script(random);
    else if (roll < 0.34) yield mangled(random);
    else if (roll < 0.6) yield appended(pick(subjects, random), random);
    else yield plain(pick(subjects, random), random);
  }
}

/** Every `step`th of the items, beginning with a different one for each seed. */
export function* everyNth<T>(items: Iterable<T>, step: number, seed: number): Generator<T> {
  let index = 0;
  for (const item of items) if (index++ % step === seed % step) yield item;
}

function knownOf(words: readonly string[]): Known {
  return KNOWN[words[0] ?? ""] ?? {};
}

function operandText(operands: string): string {
  return operands
    .split(" ")
    .filter((word) => word !== "")
    .map(quoted)
    .join(" ");
}

/** The words of a call: the program, some options, perhaps an attack, some operands. */
function call(subject: Subject, random: Random): string[] {
  const known = knownOf(subject.words);
  const rest: string[][] = [];
  const count = Math.floor(random() * 4);
  for (let index = 0; index < count; index++) rest.push(optionWords(pick(subject.options, random), subject, random));
  rest.push(split(pick(known.operands ?? ["README.md", ".", ""], random)));
  if (random() < 0.55) rest.splice(Math.floor(random() * (rest.length + 1)), 0, mutate(attack(known, random), random));
  if (random() < 0.12) rest.splice(Math.floor(random() * (rest.length + 1)), 0, ["--"]);
  if (random() < 0.1) rest.reverse();
  return [...subject.words, ...rest.flat()];
}

function attack(known: Known, random: Random): string[] {
  return split(pick(random() < 0.75 ? (known.attacks ?? COMMON_ATTACKS) : COMMON_ATTACKS, random));
}

/** Blanks part words; one behind a backslash belongs to its word. */
function split(text: string): string[] {
  return (text.match(/(?:\\.|[^ \\])+/g) ?? []).map((word) => word.replaceAll("\\ ", " ").replaceAll("${IFS}", " "));
}

/** Abbreviates a long option, or joins what stood apart. */
function mutate(words: readonly string[], random: Random): string[] {
  const [first = "", second, ...rest] = words;
  const roll = random();
  if (roll < 0.2 && /^--[\w-]{4,}/.test(first)) {
    const [name = "", ...value] = first.split("=");
    const length = 4 + Math.floor(random() * (name.length - 4));
    return [[name.slice(0, length), ...value].join("="), ...words.slice(1)];
  }
  if (roll < 0.35 && /^-\w$/.test(first))
    return [`-${pick([..."abcdefhilnqrstuvz01"], random)}${first.slice(1)}`, ...words.slice(1)];
  if (roll < 0.45 && second !== undefined && /^-\w$/.test(first)) return [`${first}${second}`, ...rest];
  if (roll < 0.5 && second !== undefined && first.startsWith("--")) return [`${first}=${second}`, ...rest];
  return [...words];
}

function optionWords(option: Option, subject: Subject, random: Random): string[] {
  const { name } = option;
  const roll = random();
  const value = pick(VALUES, random);
  if (roll < 0.35 || (option.takes === "none" && roll < 0.7)) return [name];
  if (roll < 0.5 && /^-\w$/.test(name)) {
    const more = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(subject.options, random).name);
    return [
      `${name}${more
        .filter((other) => /^-\w$/.test(other))
        .map((other) => other.slice(1))
        .join("")}`,
    ];
  }
  if (roll < 0.6 && /^--\w{4,}/.test(name)) return [name.slice(0, 3 + Math.floor(random() * (name.length - 3)))];
  if (roll < 0.8) return [name, value];
  return [name.startsWith("--") ? `${name}=${value}` : `${name}${value}`];
}

function plain(subject: Subject, random: Random): Case {
  const made = draft();
  const [program = "", ...words] = call(subject, random);
  const spelled = [program, ...words.map((word) => spell(word, made, random))].join(" ");
  return finish(made, wrap(spelled, random));
}

/** Puts a line behind prefixes and into enclosures, most often none. */
export function wrap(line: string, random: Random): string {
  let wrapped = line;
  while (random() < 0.3) {
    const prefix = pick(PREFIXES, random);
    wrapped = `${prefix} ${wrapped}${ending(prefix)}`;
  }
  while (random() < 0.25) wrapped = enclose(wrapped, random);
  return wrapped;
}

/** A call that is handed words by a wrapper: attacks come through standard input or as names of files. */
function appended(subject: Subject, random: Random): Case {
  const appender = pick(APPENDERS, random);
  const known = knownOf(subject.words);
  const made = draft();
  const words = call(subject, random);
  const hostile = mutate(attack(known, random), random);
  if (appender.placeholder !== undefined) {
    const at = 1 + Math.floor(random() * words.length);
    const holder = appender.placeholder;
    const form = pick(
      [holder, holder, holder, `-${holder}`, `--${holder}`, `${holder}x`, `-n${holder}`, `--x=${holder}`],
      random,
    );
    // Its own words stay as they are; variables are spelled by the appender.
    if (random() < 0.12) words[0] = form;
    else words.splice(at, random() < 0.5 ? 1 : 0, form);
  }
  const holder = appender.placeholder;
  const command = words
    .map((word, index) =>
      index === 0 || (holder !== undefined && word.includes(holder)) ? word : spell(word, made, random),
    )
    .join(" ");
  const line = appender.line(
    random() < 0.15
      ? `${pick(
          PREFIXES.filter((each) => !each.startsWith("find ")),
          random,
        )} ${command}`
      : command,
  );
  const wrapped = random() < 0.1 ? enclose(line, random) : line;
  if (appender.from === "files") {
    made.files.push(
      ...hostile.filter((word) => !/^\.{0,2}$/.test(word) && !word.includes("/") && word.length < 200),
      "one",
    );
    return finish(made, wrapped);
  }
  const text = pick(
    [hostile.join(" "), hostile.join("\n"), hostile.join("\0"), hostile.map((word) => `"${word}"`).join(" ")],
    random,
  );
  return finish(made, wrapped, { stdin: `${text}\n` });
}

/** A program of a language of its own with a hostile script. */
function script(random: Random): Case {
  const [program, scripts] = pick(SCRIPTS, random);
  const made = draft();
  let body = pick(scripts, random);
  if (random() < 0.3) body = `${body}${pick(["\n", ";", " ", "#", "}"], random)}${pick(scripts, random)}`;
  if (random() < 0.2) body = `${pick(["", " ", "\n", ";", "#x\n", "{", "!"], random)}${body}`;
  const words = program.split(" ");
  const line = [...words, spell(body, made, random), pick(["README.md", "log.txt", "", "data.csv"], random)].join(" ");
  return finish(made, wrap(line.trim(), random));
}

/** Text that shells read differently, or that acts without a program. */
function text(random: Random): Case {
  const body = pick(TEXTS, random).replaceAll("%", () => pick(["touch /tmp/pwned", "./evil", "touch pwned"], random));
  return {
    line: random() < 0.6 ? body : wrap(enclose(body, random), random),
    env: { E: "touch /tmp/pwned", A: "a[$(touch /tmp/pwned)]" },
  };
}
