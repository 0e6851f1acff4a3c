/**
 * Git's options by exact lists, and the formats that make git run gpg. Which subcommand takes which list is in `git.ts`.
 */
import type { Word } from "@pi-bash/command";
import { type Refusal, refuse } from "../finding.ts";
import { isSurelyOperand, isValue, type Judge, namedOption, refuseOption } from "./options.ts";

/** What a subcommand may be given. */
export interface GitSpec {
  /** Long and short options, exact; `name=` also takes a value after `=`, `name ` takes the next word. */
  readonly options: ReadonlySet<string>;
  /** Short clusters and numbers, as a pattern. */
  readonly short?: RegExp;
  readonly operands?: (operands: readonly Word[]) => Refusal | undefined;
}

/** A judge that refuses every option that is not listed. */
export function judgeBy(spec: GitSpec): Judge {
  return (call) => {
    const operands: Word[] = [];
    let index = 0;
    for (let word = call.args[index]; word !== undefined && word.value !== "--"; word = call.args[index]) {
      const width = widthOf(word, call.args[index + 1], spec);
      if (width === undefined) return refuseOption(call.name, word);
      if (isSurelyOperand(word)) operands.push(word);
      index += width;
    }
    return spec.operands?.([...operands, ...call.args.slice(index + 1)]);
  };
}

/** Words an argument takes, its own included; undefined for an option that is not listed. */
function widthOf(word: Word, next: Word | undefined, spec: GitSpec): number | undefined {
  if (isSurelyOperand(word)) return 1;
  const text = word.value ?? harmlessNamed(word);
  const width = text === undefined ? undefined : optionWidth(text, spec.options, spec.short);
  if (width === 2 && (!isValue(next) || (next.value === null && FORMATS.test(text ?? "")))) return undefined;
  return width;
}

/** Options whose value is, or holds, a format. */
const FORMATS = /^--(?:format|pretty|sort)=?$/;

/** A format that is not known could hold `%G?`, which runs gpg. */
function harmlessNamed(word: Word): string | undefined {
  const name = namedOption(word);
  return name !== undefined && FORMATS.test(name) ? undefined : name;
}

function optionWidth(text: string, options: ReadonlySet<string>, short: RegExp | undefined): number | undefined {
  if (options.has(text)) return 1;
  if (options.has(`${text} `)) return 2;
  const equals = text.indexOf("=");
  if (text.startsWith("--") && equals > 0 && options.has(text.slice(0, equals + 1))) return 1;
  if (text.startsWith("--") && options.has(`${text}=`)) return 1;
  return short?.test(text) === true ? 1 : undefined;
}

/** Formats of git's own; any other name is one of the configuration's and can hold `%G?`. */
const OWN_FORMATS =
  /^--(?:format|pretty)=(?:oneline|short|medium|full|fuller|reference|email|mboxrd|raw|t?format:.*|.*%.*|)$/s;

/** True for a format, or a key to sort by, that makes git run gpg; blanks and signs may stand before the `G`. */
export function checksSignatures(word: Word): boolean {
  const text = word.value ?? word.text;
  if (/%[-+ ]?G|%\(\*?signature|^(?:--sort=.*|-?)signature(?::|$)/.test(text)) return true;
  return /^--(?:format|pretty)=/.test(text) && !OWN_FORMATS.test(text);
}

/** `--format=%G?` and relatives make git run gpg. */
export function formatsAreHarmless(judge: Judge): Judge {
  return (call) =>
    call.args.some(checksSignatures)
      ? refuse("git-signature", "exec", `\`${call.name}\` with a signature format runs gpg`)
      : judge(call);
}
