/**
 * What bash runs by the way: the callback of `mapfile`, and the values of variables that it and other programs run.
 *
 * Sources: bash(1), git(1), less(1), man(1), rsync(1). Whether a program runs its variable is not known: a block there is undecided.
 */
import type { CommandAnalysis, Construct, EffectiveCommand, Redirection, SimpleCommand, Word } from "@pi-bash/command";
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
export function variableTexts(analysis: CommandAnalysis): readonly HeldText[] {
  const { commands, nestedCommands, constructs } = analysis;
  const functions = new Set(constructs.flatMap((each) => (each.kind === "function" ? [each.name] : [])));
  return [
    ...constructs.flatMap(constructTexts),
    ...[...commands, ...nestedCommands].flatMap((simple) => givenTexts(simple, functions)),
    ...assignedTexts([...commands, ...nestedCommands]),
  ];
}

/** What expands a text once more, as in double quotes; quotes inside a substitution do not matter to what is looked for. */
function expanded(how: string, text: string, simple: SimpleCommand): readonly HeldText[] {
  return /\$\(|`/.test(text) ? [{ how, text: `: "${text.replaceAll(/["']/g, "")}"`, simple }] : [];
}

/**
 * `for x in 'a[$(y)]'`, and what a whole loop reads: the variable may be one of those that bash computes, or be used in
 * arithmetic.
 */
function constructTexts(construct: Construct): readonly HeldText[] {
  const { text, context, span } = construct;
  const simple = { argv: [], assignments: [], redirections: [], context, span };
  if (construct.kind === "redirection") return hereTexts([construct.redirection], simple);
  if (construct.kind !== "for" && construct.kind !== "select") return [];
  const words = /^\w+\s+\w+\s+in\s([^\n;]{0,9999})/.exec(text)?.[1] ?? "";
  // A substitution without quotes is a command of the line, and is judged as that.
  return /['\\]/.test(words) ? expanded(`what \`${construct.name}\` holds may run`, words, simple) : [];
}

/** What `read` reads, `printf -v` writes, and a function of the line is given. */
function givenTexts(simple: SimpleCommand, functions: ReadonlySet<string>): readonly HeldText[] {
  const { argv, redirections } = simple;
  const handed = functions.has(firstValue(argv)) ? argv.slice(1) : writtenByPrintf(argv);
  const texts = handed.flatMap(({ value }) => expanded(QUOTED, value ?? "", simple));
  return [...texts, ...hereTexts(redirections, simple)];
}

const QUOTED = "bash may expand a text in quotes";

/** The words behind the name that `printf -v` is given. */
function writtenByPrintf([program, option, ...rest]: readonly Word[]): readonly Word[] {
  if (program?.value !== "printf" || option?.value?.startsWith("-v") !== true) return [];
  return option.value === "-v" ? rest.slice(1) : rest;
}

function hereTexts(redirections: readonly Redirection[], simple: SimpleCommand): readonly HeldText[] {
  return redirections.flatMap(({ operator, target }) =>
    operator === "<<<" ? expanded(QUOTED, target?.value ?? "", simple) : [],
  );
}

function assignedTexts(commands: readonly SimpleCommand[]): readonly HeldText[] {
  return commands.flatMap((simple) => {
    const declares = simple.argv.some(({ value }) => DECLARES.test(programName(value ?? "")));
    const words = declares ? simple.argv.flatMap(({ value }) => (value === null ? [] : [assigned(value)])) : [];
    const given = simple.assignments.map(({ name, value }) => ({ name, text: value?.value ?? "" }));
    return [...given, ...words].flatMap(({ name, text }) => {
      const how = `what \`${name}\` holds may run`;
      if (RUN.test(name)) return [{ how, text: text.replace(/^[|!]/, ""), simple }];
      // A prompt, `${name@P}` and arithmetic expand it, in this line or in a later one.
      return /\$\(|`/.test(text) ? [{ how, text: `: "${text.replaceAll('"', "")}"`, simple }] : [];
    });
  });
}

function assigned(word: string): { readonly name: string; readonly text: string } {
  const [, name = "", text = ""] = ASSIGNMENT.exec(word) ?? [];
  return { name, text };
}
