/**
 * Downloads that become a program: `curl … | sh`, `bash <(curl …)`, `eval "$(wget -O- …)"`, `x=$(curl …); sh -c "$x"`.
 *
 * Three questions: what downloads (a program for it, `/dev/tcp`, code that opens an address), what runs text (shells,
 * `eval`, `source`, interpreters; `program-text.ts` says where its text comes from), and whether the one feeds the
 * other: through a pipe, a substitution, a variable, a function, or a file of the same line. A download into a file, or
 * into a program that only reads it, is none.
 */
import type {
  CommandAnalysis,
  Construct,
  EffectiveCommand,
  Redirection,
  SimpleCommand,
  Span,
  Word,
} from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { DECLARES, READS_LINES } from "../builtins.ts";
import { type Refusal, refuse } from "../finding.ts";
import { filesOf, pathOf } from "./download-files.ts";
import { CODE_OPENS, CONNECTION, downloads, isConnected } from "./downloaders.ts";
import { loopsOf } from "./loops.ts";
import { type OpenDescriptors, openDescriptors, optionReadsOpen, pathsOf, readsOpen } from "./open-descriptors.ts";
import { type ProgramText, programTexts } from "./program-text.ts";

/** Code that reads its input. */
const CODE_READS = /stdin|STDIN|<>|\$_|readFile|ARGF|\binput\b|\bgets\b|php:\/\/input/;
/** Code that runs what it has. */
const CODE_RUNS =
  /\b(?:exec\w*|eval|system|popen|subprocess|spawn\w*|instance_eval|iex|Invoke-Expression)\b|\bFunction\s*\(|`/;

/** The first command that runs a download, and why; undefined where there is none. */
export function runsDownload(analysis: CommandAnalysis): { refusal: Refusal; command: EffectiveCommand } | undefined {
  // Most lines have no download, and what else a line is made of need not be known then.
  if (!analysis.effective.some(downloads) && !analysis.constructs.some(isConnected)) return undefined;
  const line = new Line(analysis);
  for (const [command, text] of line.runners) {
    const from = line.sourceOf(command, text);
    if (from === undefined) continue;
    const message = `\`${nameOf(command)}\` runs what \`${from}\` downloads`;
    return { refusal: refuse("download-to-shell", "exec", message), command };
  }
  return undefined;
}

function nameOf({ argv }: EffectiveCommand): string {
  return argv[0]?.value == null ? (argv[0]?.display ?? "") : programName(argv[0].value);
}

/** One line, with what downloads in it and what runs text. */
class Line {
  downloads: readonly EffectiveCommand[];
  readonly runners: readonly (readonly [EffectiveCommand, ProgramText])[];
  readonly #analysis: CommandAnalysis;
  readonly #order: ReadonlyMap<EffectiveCommand, number>;
  /** Variables and files that hold a download. */
  readonly #names = new Map<string, string>();
  #open: OpenDescriptors = new Map();
  readonly #files = new Map<string, string>();

  constructor(analysis: CommandAnalysis) {
    this.#analysis = analysis;
    this.#order = new Map(analysis.effective.map((command, at) => [command, at]));
    const direct = analysis.effective.filter(downloads);
    this.downloads = direct;
    this.#open = openDescriptors(analysis, (redirection) => this.#inRedirection(redirection));
    const readers = analysis.effective.filter(({ simple }) =>
      simple.redirections.some((each) => readsOpen(each, this.#open) !== undefined),
    );
    this.downloads = [...direct, ...readers, ...callsOf(analysis, [...direct, ...readers])];
    const own = analysis.effective.flatMap((command) =>
      programTexts(command).map((text): readonly [EffectiveCommand, ProgramText] => [command, text]),
    );
    const fed = own.filter(([, { kind }]) => kind === "stdin").map(([command]) => command);
    const calls = callsOf(analysis, fed).map((call): readonly [EffectiveCommand, ProgramText] => [
      call,
      { kind: "stdin" },
    ]);
    this.runners = [...own, ...calls];
    this.#note();
  }

  /** The download that a program's text comes from. */
  sourceOf(command: EffectiveCommand, text: ProgramText): string | undefined {
    switch (text.kind) {
      case "code":
        return this.#inCode(command, text.word);
      case "text": {
        // A text that is completed while it runs may be completed by what comes in.
        const isOpen = text.word.value === null || command.unresolved !== undefined;
        return this.#inWord(text.word) ?? (isOpen ? (this.#piped(command) ?? this.#around(command)) : undefined);
      }
      case "file":
        return this.#inWord(text.word) ?? this.#files.get(pathOf(text.word));
      case "stdin":
        return this.#piped(command) ?? this.#redirected(command) ?? this.#around(command) ?? this.#open.get("0");
    }
  }

  /** Code that downloads and runs by itself, or runs what it reads. */
  #inCode(command: EffectiveCommand, word: Word): string | undefined {
    if (!CODE_RUNS.test(word.display)) return this.#inWord(word);
    if (CODE_OPENS.test(word.display)) return nameOf(command);
    return this.#inWord(word) ?? (CODE_READS.test(word.display) ? this.#piped(command) : undefined);
  }

  /** A download in a substitution of the word, or in a variable that it names. */
  #inWord(word: Word): string | undefined {
    if (word.expansions.substitution || word.expansions.process) {
      const inside = this.downloads.find(
        (each) => contains(word.span, each.span) && !isSame(word.span, each.span) && word.text.includes(nameOf(each)),
      );
      const nested = this.downloads.find((each) => isSame(word.span, each.span) && word.text.includes(nameOf(each)));
      const found = inside ?? nested;
      if (found !== undefined) return nameOf(found);
    }
    if (!word.expansions.variable && !word.expansions.substitution && !word.expansions.process) return undefined;
    return this.#held(word.text);
  }

  /** The download in the first of some words that has one. */
  #inWords(words: readonly Word[]): string | undefined {
    return words.map((word) => this.#inWord(word)).find((each) => each !== undefined);
  }

  /** The download in a variable that a text names. */
  #held(text: string): string | undefined {
    for (const [, name = ""] of text.matchAll(/\$\{?[!#]?(\w+|[@*])/g)) {
      const from = this.#names.get(name);
      if (from !== undefined) return from;
    }
    return undefined;
  }

  /** An earlier stage of the same pipeline; or the pipeline around `>(…)`. */
  #piped(command: EffectiveCommand): string | undefined {
    const { readsPipe, substitution } = command.simple.context;
    const outputs = substitution
      ? this.#constructs("process-substitution").filter(({ text }) => text.startsWith(">("))
      : [];
    const isTaker = outputs.some(({ span }) => contains(span, command.span));
    if (!readsPipe && !isTaker) return undefined;
    const at = this.#order.get(command) ?? 0;
    const pipelines = this.#constructs("pipeline").filter(({ span }) => contains(span, command.span));
    const earlier = (span: Span, order: number): boolean =>
      span.start < command.span.start || (isSame(span, command.span) && order < at);
    const found = this.downloads.find(
      (each) =>
        each.simple.context.writesPipe &&
        earlier(each.span, this.#order.get(each) ?? 0) &&
        pipelines.some(({ span }) => contains(span, each.span)),
    );
    if (found !== undefined) return nameOf(found);
    const words = this.#analysis.effective.filter(
      (each) => each.simple.context.writesPipe && pipelines.some(({ span }) => contains(span, each.span)),
    );
    const held = words
      .flatMap(({ argv }) => argv.slice(1))
      .map((word) => this.#inWord(word) ?? this.#files.get(pathOf(word)));
    const taker = isTaker ? this.downloads.find((each) => contains(each.simple.span, command.span)) : undefined;
    return held.find((each) => each !== undefined) ?? (taker === undefined ? undefined : nameOf(taker));
  }

  /** `< <(curl …)`, `<<< "$(curl …)"`, a here-document with a substitution, a file that was downloaded. */
  #redirected({ simple, written }: EffectiveCommand): string | undefined {
    return [...new Set([...simple.redirections, ...written.redirections])]
      .map((each) => this.#inRedirection(each))
      .find((each) => each !== undefined);
  }

  #inRedirection(redirection: Redirection): string | undefined {
    const { operator, target, span, body } = redirection;
    if (!operator.startsWith("<")) return undefined;
    const open = readsOpen(redirection, this.#open);
    if (open !== undefined) return open;
    if (target !== null) {
      return CONNECTION.exec(target.leading)?.[0] ?? this.#inWord(target) ?? this.#files.get(pathOf(target));
    }
    if (body === undefined || !/\$\(|`|\$\{?\w/.test(body)) return undefined;
    const inside = this.downloads.find((each) => contains(span, each.span) || body.includes(nameOf(each)));
    if (inside !== undefined) return nameOf(inside);
    return this.#held(body);
  }

  /** The input of the loop or group that the command stands in. */
  #around({ simple, span }: EffectiveCommand): string | undefined {
    if (!simple.context.loop && !simple.context.subshell && this.#constructs("group").length === 0) return undefined;
    return this.#analysis.constructs
      .flatMap((each) => (each.kind === "redirection" && each.span.start > span.start ? [each.redirection] : []))
      .map((each) => this.#inRedirection(each))
      .find((each) => each !== undefined);
  }

  #constructs(kind: Construct["kind"]): Construct[] {
    return this.#analysis.constructs.filter((each) => each.kind === kind);
  }

  /** Notes which variables and files get a download. */
  #note(): void {
    for (const [path, from] of pathsOf(this.#open)) this.#files.set(path, from);
    for (const command of [...this.#analysis.commands, ...this.#analysis.nestedCommands]) this.#noteVariables(command);
    this.#noteLoops();
    this.#noteArguments();
    for (const download of this.downloads) {
      for (const file of filesOf(download)) this.#files.set(file, nameOf(download));
    }
    const piped = this.downloads.find((each) => each.simple.context.writesPipe);
    if (piped === undefined) return;
    for (const { argv, simple } of this.#analysis.effective) {
      if (programName(firstValue(argv)) !== "tee" || !simple.context.readsPipe) continue;
      for (const word of argv.slice(1)) this.#files.set(pathOf(word), nameOf(piped));
    }
  }

  #noteVariables({ assignments, argv: [first, ...rest], redirections }: SimpleCommand): void {
    for (const { name, value, text, span } of assignments) {
      this.#hold([name], value === null ? this.#inArray(text, span) : this.#inWord(value));
    }
    if (DECLARES.has(first?.value ?? "")) {
      for (const word of rest) this.#hold([/^(\w+)\+?=/.exec(word.leading)?.[1] ?? ""], this.#inWord(word));
    }
    if (READS_LINES.has(first?.value ?? "")) {
      const redirected = redirections.map((each) => this.#inRedirection(each)).find((each) => each !== undefined);
      const from = redirected ?? optionReadsOpen(rest, this.#open);
      this.#hold([...rest.map(({ value }) => value ?? ""), "REPLY", "MAPFILE"], from);
    }
  }

  /** `for x in $(curl …)`. */
  #noteLoops(): void {
    for (const { name, words } of loopsOf(this.#analysis)) this.#hold([name], this.#inWords(words));
  }

  /** `f() { eval "$1"; }; f "$(curl …)"`: what a function is given, its arguments hold. */
  #noteArguments(): void {
    const names = new Set(this.#analysis.constructs.flatMap((each) => (each.kind === "function" ? [each.name] : [])));
    for (const { argv } of this.#analysis.effective) {
      if (!names.has(firstValue(argv))) continue;
      const from = this.#inWords(argv.slice(1));
      if (from !== undefined) for (const at of [...argv.keys(), "@", "*"]) this.#names.set(String(at), from);
    }
  }

  #hold(names: readonly string[], from: string | undefined): void {
    if (from === undefined) return;
    for (const name of names) if (/^[A-Za-z_]\w*$/.test(name)) this.#names.set(name, from);
  }

  #inArray(text: string, span: Span): string | undefined {
    const found = this.downloads.find((each) => contains(span, each.span) && text.includes(nameOf(each)));
    return found === undefined ? undefined : nameOf(found);
  }
}

/** The calls of the functions that these commands stand in: what the body does, the call does. */
function callsOf(analysis: CommandAnalysis, commands: readonly EffectiveCommand[]): EffectiveCommand[] {
  const names = new Set(commands.flatMap(({ simple }) => simple.context.functionName ?? []));
  const byName = new Map<string, EffectiveCommand[]>();
  for (const call of analysis.effective) {
    const name = firstValue(call.argv);
    const others = byName.get(name);
    if (others === undefined) byName.set(name, [call]);
    else others.push(call);
  }
  const calls: EffectiveCommand[] = [];
  // A function that calls one of them does the same; a set that grows while it is walked is walked to its end.
  for (const name of names) {
    for (const call of byName.get(name) ?? []) {
      calls.push(call);
      if (call.simple.context.functionName !== undefined) names.add(call.simple.context.functionName);
    }
  }
  return calls;
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function isSame(one: Span, other: Span): boolean {
  return one.start === other.start && one.end === other.end;
}
