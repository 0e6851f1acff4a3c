/**
 * Looks through `start-stop-daemon -S -x /bin/rm -- -rf /`: options name the program, operands are its arguments.
 *
 * Sources: start-stop-daemon(8) of Debian, BusyBox and OpenRC. Operands may stand before options.
 */

import { wrapperName } from "./unwrap-shell.ts";
import type { EffectiveCommand, State, Step } from "./unwrap-state.ts";
import { attachedWord, type Word } from "./word.ts";

/** Letters of options with a value, but those of the program. */
const VALUED = "pnucgrdNPIkRsOeDwM12";
const LONG_VALUED =
  /^--(?:pid|ppid|pidfile|name|user|chuid|group|chroot|chdir|nicelevel|procsched|iosched|umask|retry|signal|output|env|std(?:out|err)(?:-logger)?|wait|progress|scheduler(?:-priority)?|capabilities|secbits|oom-score-adj|notify-(?:await|timeout))$/;
const LONG_PROGRAM = /^--(?:e|ex|exe|exec|starta|startas)(?:=|$)/;
/** Programs that are tried: `--startas` is what starts, and `--exec` where it is absent. */
const MAX_PROGRAMS = 4;

/** What the daemon is. */
export function throughDaemon(argv: readonly Word[], state: State, step: Step): readonly EffectiveCommand[] {
  const dashes = argv.findIndex(({ value }) => value === "--");
  const given = givenWords(argv.slice(1, dashes === -1 ? argv.length : dashes));
  const ofKind = (kind: Kind): readonly Word[] => given.flatMap((each) => (each.kind === kind ? [each.word] : []));
  const operands = [...ofKind("operand"), ...(dashes === -1 ? [] : argv.slice(dashes + 1))];
  const inner: State = {
    ...state,
    via: [...state.via, wrapperName(argv)],
    privileged: true,
    guessing: true,
    movedTo: [...state.movedTo, ...ofKind("folder")],
  };
  return ofKind("program")
    .slice(0, MAX_PROGRAMS)
    .map((program) => step([program, ...operands], inner))
    .flatMap(({ effective, perhaps }) => [...effective, ...perhaps]);
}

type Kind = "program" | "folder" | "operand" | "other";

/** Operands, and the values of options. */
function givenWords(words: readonly Word[]): readonly { readonly kind: Kind; readonly word: Word }[] {
  const given: { kind: Kind; word: Word }[] = [];
  for (let at = 0; at < words.length; at++) {
    const [word, next] = words.slice(at, at + 2);
    if (word === undefined) break;
    const option = optionOf(word);
    const value = option.takesNext ? next : option.attached;
    if (value !== undefined) given.push({ kind: option.kind, word: value });
    if (option.takesNext) at++;
  }
  return given;
}

interface Option {
  readonly kind: Kind;
  readonly takesNext: boolean;
  /** The value, where it stands in the same word; an operand itself. */
  readonly attached?: Word;
}

function optionOf(word: Word): Option {
  if (!/^-./.test(word.leading)) return { kind: "operand", takesNext: false, attached: word };
  return word.leading.startsWith("--") ? longOption(word) : shortOption(word);
}

function longOption(word: Word): Option {
  const program = LONG_PROGRAM.exec(word.leading)?.[0];
  // The folder of a long option is found as that of any wrapper.
  if (program === undefined) return { kind: "other", takesNext: LONG_VALUED.test(word.leading) };
  if (!program.endsWith("=")) return { kind: "program", takesNext: true };
  return { kind: "program", takesNext: false, attached: attachedWord(word, program.length) };
}

/** The first letter of a cluster that has a value has the rest of it, or the next word. */
function shortOption(word: Word): Option {
  const letters = word.leading.split("");
  const at = letters.findIndex((letter, index) => index > 0 && `${VALUED}xa`.includes(letter));
  const letter = letters[at] ?? "";
  const kind = at === -1 ? "other" : /[xa]/.test(letter) ? "program" : /[dr]/.test(letter) ? "folder" : "other";
  if (at === -1 || word.value?.length === at + 1) return { kind, takesNext: at !== -1 };
  return { kind, takesNext: false, attached: attachedWord(word, at + 1) };
}
