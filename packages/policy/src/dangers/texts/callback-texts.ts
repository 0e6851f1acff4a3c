/**
 * What bash runs by the way: the callback of `mapfile`, and the values of variables that it and other programs run.
 *
 * Sources: bash(1), git(1), less(1), man(1), rsync(1). Whether a program runs its variable is not known: a block there is undecided.
 */
import type { CommandAnalysis, EffectiveCommand, SimpleCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import type { Field } from "../values/fields.ts";
import { asWord, plainText } from "../values/rendered-fields.ts";

const READS_ARRAYS: ReadonlySet<string> = new Set(["mapfile", "readarray"]);

/** `mapfile -C text`: bash runs the text with an index and a line that it reads. */
export function callbackTexts(
  { argv }: EffectiveCommand,
  expand: (word: Word) => readonly Field[],
  lines: () => readonly Field[],
): readonly string[] {
  if (!READS_ARRAYS.has(firstValue(argv))) return [];
  const at = argv.findIndex(({ leading }) => /^-t?C/.test(leading));
  const option = argv[at];
  if (option === undefined) return [];
  const attached = /^-t?C(.+)$/s.exec(option.value ?? "")?.[1];
  const callbacks =
    attached === undefined
      ? argv
          .slice(at + 1, at + 2)
          .flatMap(expand)
          .map(plainText)
      : [attached];
  return callbacks.flatMap((callback) => lines().map((line) => `${callback} 0 ${asWord(line)}`));
}

/** Variables whose value is a command. */
const RUN =
  /^(?:(?:GIT_|MAN|SYSTEMD_|PSQL_)?PAGER|(?:GIT_|GIT_SEQUENCE_|SUDO_|SVN_|HG)?EDITOR|VISUAL|BROWSER|PROMPT_COMMAND|LESS(?:OPEN|CLOSE)|GIT_(?:SSH_COMMAND|EXTERNAL_DIFF|PROXY_COMMAND|CONFIG_VALUE_\d+)|RSYNC_(?:RSH|CONNECT_PROG))$/;
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=(.*)$/s;
const DECLARES = /^(?:export|declare|typeset|local|readonly|env)$/;

/** A text that may run, and the command that it stands in. */
export interface HeldText {
  /** Begins a message: "what `PS4` holds may run". */
  readonly how: string;
  readonly text: string;
  readonly simple: SimpleCommand;
}

/** The texts of a line that stand in a variable which some program runs. */
export function variableTexts({ commands, nestedCommands }: CommandAnalysis): readonly HeldText[] {
  return [...commands, ...nestedCommands].flatMap((simple) => {
    const declares = simple.argv.some(({ value }) => DECLARES.test(programName(value ?? "")));
    const words = declares ? simple.argv.flatMap(({ value }) => (value === null ? [] : [assigned(value)])) : [];
    const given = simple.assignments.map(({ name, value }) => ({ name, text: value?.value ?? "" }));
    return [...given, ...words].flatMap(({ name, text }) => {
      const how = `what \`${name}\` holds may run`;
      if (RUN.test(name)) return [{ how, text: text.replace(/^[|!]/, ""), simple }];
      // A prompt, `${name@P}` and arithmetic expand it, in this line or in a later one, as in double quotes; quotes
      // inside a substitution do not matter here.
      return /\$\(|`/.test(text) ? [{ how, text: `: "${text.replaceAll('"', "")}"`, simple }] : [];
    });
  });
}

function assigned(word: string): { readonly name: string; readonly text: string } {
  const [, name = "", text = ""] = ASSIGNMENT.exec(word) ?? [];
  return { name, text };
}
