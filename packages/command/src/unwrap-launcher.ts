/**
 * Looks through launchers: `npx x`, `uv run x`, `docker exec c x`, `git bisect run x`, `nodemon --exec 'x'`.
 *
 * The launcher itself stays the command that runs; what it starts is found as one that perhaps runs. See
 * `launcher-spec.ts` for why.
 */
import { commandHere } from "./container-mounts.ts";
import type { Launcher, LaunchForm } from "./launcher-spec.ts";
import { SHELLS } from "./shell-text.ts";
import { joined, throughText, wrapperName } from "./unwrap-shell.ts";
import { emit, folderIn, NOTHING, opaque, type State, type Step, together, type Unwrapped } from "./unwrap-state.ts";
import { walkText } from "./walk.ts";
import { attachedWord, firstValue, type Word } from "./word.ts";

/** Readings of one command, those of launchers inside launchers multiplied; with more it is not known what runs. */
const MAX_READINGS = 64;

/** What a launcher may start: words, a text for a shell, or a shell that reads its input. */
type Started =
  /** The words from a place on, of which an option may have named the first. */
  | { readonly kind: "words"; readonly at: number; readonly program?: Word }
  | { readonly kind: "text"; readonly text: Word; readonly at: number }
  | { readonly kind: "shell"; readonly at: number };

/** The launcher as a command, and what it may start; `texts` are for a shell, beside those of its forms. */
export function throughLauncher(
  { forms, contained, sharesHome = false }: Launcher,
  argv: readonly Word[],
  state: State,
  step: Step,
  texts: readonly Word[] = [],
): Unwrapped {
  const given = texts.map((text): Started => ({ kind: "text", text, at: 1 }));
  const found = [...forms.flatMap((form) => startedBy(form, argv)), ...given];
  const bound = Math.max(1, Math.floor(MAX_READINGS / state.readings));
  const around: State = {
    ...state,
    privileged: true,
    readings: state.readings * Math.max(1, found.length),
    contained: state.contained || contained,
  };
  const isTooMany = found.length > bound;
  // Below another launcher the rest is left alone: each of its words may be the program.
  const read = isTooMany && state.readings > 1 ? [] : found.slice(0, bound);
  const parts = read.map((started) => readStarted(started, argv, around, step));
  if (contained)
    parts.push(
      ...read.map((started) =>
        readHere(started, argv, { ...around, contained: state.contained }, { step, sharesHome }),
      ),
    );
  if (isTooMany) parts.push(opaque(argv, around, `\`${wrapperName(argv)}\` may start too many commands`));
  const perhaps = parts.flatMap((part) => [...part.effective, ...part.perhaps]);
  return together([emit(argv, state), { ...NOTHING, perhaps }]);
}

function readStarted(started: Started, argv: readonly Word[], around: State, step: Step): Unwrapped {
  const via = wrapperName(argv);
  const folder = folderIn(argv.slice(0, started.at));
  const moved = folder === undefined ? around : { ...around, movedTo: [...around.movedTo, folder] };
  if (started.kind === "text") {
    return throughText({ via: `${via} -c`, text: started.text, language: "posix" }, argv, moved, step);
  }
  const inner = { ...moved, via: [...moved.via, via] };
  if (started.kind === "shell") return isFed(inner) ? opaque(argv, inner, `\`${via}\` starts a shell`) : NOTHING;
  const rest = argv.slice(started.at);
  const words = started.program === undefined ? rest : [started.program, ...rest];
  // A shell alone asks a person at a terminal, and without one it reads nothing.
  if (words.length === 1 && SHELLS.has(firstValue(words)) && !isFed(inner)) return NOTHING;
  return step(words, inner);
}

/** The command of a container where it reaches this machine. */
function readHere(
  started: Started,
  argv: readonly Word[],
  around: State,
  { step, sharesHome }: { step: Step; sharesHome: boolean },
): Unwrapped {
  if (started.kind === "shell") return NOTHING;
  const words =
    started.kind === "text"
      ? [started.text]
      : [...(started.program ? [started.program] : []), ...argv.slice(started.at)];
  const found = commandHere(argv.slice(1, started.at), words, sharesHome);
  if (found === undefined) return NOTHING;
  const { text, folder } = found;
  const word =
    folder === undefined
      ? undefined
      : walkText(`cd ${folder}`, { span: text.span, context: around.simple.context }).commands[0]?.argv[1];
  const moved = word === undefined ? around : { ...around, movedTo: [...around.movedTo, word] };
  return throughText({ via: wrapperName(argv), text, language: "posix" }, argv, moved, step);
}

/** True where another command or a file is the input, or may be: `crontab <(x)`. */
function isFed({ simple }: State): boolean {
  const { context, redirections, argv } = simple;
  if (context.readsPipe || redirections.some(({ operator }) => operator.startsWith("<"))) return true;
  return argv.some(({ expansions }) => expansions.process);
}

function startedBy(form: LaunchForm, argv: readonly Word[]): Started[] {
  const starts = behindPath(form, argv);
  const [from] = starts;
  if (from === undefined) return [];
  const places = unique(starts.flatMap((at) => operandsFrom(form, argv, at)));
  const commands = form.runs === "command" ? places : [];
  const dashed = form.dashes ? behindDashes(argv, from) : [];
  const end = form.runs === "other" ? argv.length : Math.max(argv.length * Number(places.length === 0), ...places);
  const found = [
    ...unique([...dashed, ...commands]).map((at): Started => startedAt(argv, at)),
    ...textsOf(form, argv, places),
    ...byOptions(form, argv, end),
  ];
  if (found.length === 0 && form.startsShell) return [{ kind: "shell", at: argv.length }];
  return found;
}

/** One word with blanks is a text for a shell. */
function startedAt(argv: readonly Word[], at: number): Started {
  const text = argv[at];
  const isText = text !== undefined && at === argv.length - 1 && /\s/.test(text.value ?? "");
  return isText ? { kind: "text", text, at } : { kind: "words", at };
}

function textsOf({ runs }: LaunchForm, argv: readonly Word[], places: readonly number[]): Started[] {
  const [first] = places;
  if (first === undefined || (runs !== "texts" && runs !== "joined")) return [];
  const words = argv.slice(first);
  if (runs === "joined") {
    const text = joined(words);
    return text === undefined ? [] : [{ kind: "text", text, at: first }];
  }
  const texts = words.filter(({ leading }) => !leading.startsWith("-")).slice(0, MAX_READINGS + 1);
  return texts.map((text) => ({ kind: "text", text, at: first }));
}

/** What the values of options start: those before the subcommand and before the operands as well. */
function byOptions(form: LaunchForm, argv: readonly Word[], end: number): Started[] {
  if (form.texts.size + form.programs.size === 0) return [];
  const found: Started[] = [];
  for (let at = 1; at < end && found.length <= MAX_READINGS; at++) {
    const word = argv[at];
    if (word === undefined) break;
    const option = givenOption(form, word, argv[at + 1]);
    if (option === undefined) continue;
    const next = at + option.width;
    if (form.texts.has(option.name)) found.push({ kind: "text", text: option.value, at });
    if (form.programs.has(option.name)) found.push({ kind: "words", program: option.value, at: next });
  }
  return found;
}

interface GivenOption {
  readonly name: string;
  readonly value: Word;
  readonly width: number;
}

/** `--exec X`, `--exec=X`, `-x X` or `-xX`, and the last two behind letters of other options. */
function givenOption(form: LaunchForm, word: Word, next: Word | undefined): GivenOption | undefined {
  const { texts, programs } = form;
  const { leading, value } = word;
  if (value !== null && (texts.has(value) || programs.has(value))) {
    return next === undefined ? undefined : { name: value, value: next, width: 2 };
  }
  const equals = leading.indexOf("=");
  if (equals !== -1 && leading.startsWith("-")) {
    return { name: leading.slice(0, equals), value: attachedWord(word, equals + 1), width: 1 };
  }
  if (!/^-[A-Za-z]/.test(leading)) return undefined;
  const at = letterOf(form, leading);
  const name = `-${leading[at] ?? ""}`;
  if (value === null || at + 1 < value.length) return { name, value: attachedWord(word, at + 1), width: 1 };
  return next === undefined ? undefined : { name, value: next, width: 2 };
}

/** The letter of a cluster that takes a text or a program: behind flags, or the last behind one or two. */
function letterOf({ flags, valued, texts, programs }: LaunchForm, text: string): number {
  const takes = (letter: string): boolean => texts.has(`-${letter}`) || programs.has(`-${letter}`);
  const letters = /^-([A-Za-z]+)/.exec(text)?.[1] ?? "";
  const at = [...letters].findIndex(takes);
  const before = letters.slice(0, Math.max(0, at));
  const areFlags = [...before].every((letter) => flags.has(`-${letter}`));
  const isLast = before.length <= 2 && text.length === at + 2 && ![...before].some((each) => valued.has(`-${each}`));
  return at !== -1 && (areFlags || isLast) ? at + 1 : 1;
}

/** The places behind the words that lead to the command. */
function behindPath(form: LaunchForm, argv: readonly Word[]): number[] {
  let places = [1];
  for (const wanted of form.path) {
    const names = wanted.split("|");
    const operands = unique(places.flatMap((at) => operandsFrom(form, argv, at)));
    places = operands.filter((at) => wanted === "*" || names.includes(argv[at]?.value ?? "")).map((at) => at + 1);
  }
  return places;
}

/** The places where the next operand may stand: behind an option that is not listed there are two. */
function operandsFrom(form: LaunchForm, argv: readonly Word[], from: number): number[] {
  const places: number[] = [];
  let at = from;
  for (let word = argv[at]; word !== undefined && places.length <= MAX_READINGS; word = argv[at]) {
    const kind = kindOf(form, word);
    if (kind === "end" || kind === "operand") {
      return [...places, kind === "end" ? at + 1 : at].filter((place) => place < argv.length);
    }
    const width = widthOf(kind, argv[at + 1]);
    if (kind === "unknown") places.push(at);
    if (kind === "doubtful" && width === 2) places.push(at + 1);
    at += width;
  }
  return places;
}

/** Words of an option, its value included. */
function widthOf(kind: Kind, next: Word | undefined): number {
  if (kind === "valued") return 2;
  return kind === "doubtful" && next?.leading.startsWith("-") === false ? 2 : 1;
}

type Kind = "end" | "operand" | "unknown" | "flag" | "valued" | "doubtful";

/** `unknown`: a word that may be an operand or an option. `doubtful`: an option that may take the next word. */
function kindOf(form: LaunchForm, { value, leading }: Word): Kind {
  if (form.assignments && /^[A-Za-z_][\w.]*=/.test(leading)) return "flag";
  if (value === null) return leading === "" ? "unknown" : leading.startsWith("-") ? "doubtful" : "operand";
  if (value === "--") return "end";
  if (!value.startsWith("-") || value === "-") return "operand";
  if (takesValue(form, value)) return "valued";
  if (form.flags.has(value) || value.includes("=")) return "flag";
  return value.startsWith("--") ? "doubtful" : clusterKind(form, value);
}

function takesValue({ valued, texts, programs }: LaunchForm, option: string): boolean {
  return valued.has(option) || texts.has(option) || programs.has(option);
}

/** `-nX` has its value, `-it` has none, and the last letter of `-itn` takes the next word. */
function clusterKind(form: LaunchForm, text: string): Kind {
  const letters = text.slice(1).split("");
  const at = letters.findIndex((letter) => !form.flags.has(`-${letter}`));
  if (at === -1) return "flag";
  if (!takesValue(form, `-${letters[at] ?? ""}`)) return "doubtful";
  return at === letters.length - 1 ? "valued" : "flag";
}

function behindDashes(argv: readonly Word[], from: number): number[] {
  const at = argv.findIndex((word, index) => index >= from && word.value === "--");
  return at === -1 || at + 1 >= argv.length ? [] : [at + 1];
}

function unique(places: readonly number[]): number[] {
  return [...new Set(places)].slice(0, MAX_READINGS + 1);
}
