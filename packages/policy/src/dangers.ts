/**
 * Commands that are refused whatever a rule or a mode says: wiping the system, devices and fork bombs.
 *
 * They are judged by meaning, on what runs in the end and with the values that the line gives to its variables, so that
 * `rm -fr //`, `X=/; rm -rf $X` and `echo / | xargs rm -rf` are one thing, and `rm -rf /tmp/build`, `dd of=out.img` and
 * `echo "rm -rf /"` are another. Lists of forbidden texts miss the first kind and hit the second. Where a block depends
 * on what is not known, it is undecided: a person is asked. The judges are in `dangers/`.
 */
import {
  analyzeCommand,
  type CommandAnalysis,
  type EffectiveCommand,
  type Redirection,
  type Word,
} from "@pi-bash/command";
import { isLimitProblem, programNameOf } from "@pi-bash/command/internal";
import type { Folder, PathContext } from "./danger-paths.ts";
import { type DangerCall, type DangerOptions, UNDECIDED_CODE, undecided, worst } from "./dangers/call.ts";
import { judgeRedirectionTarget } from "./dangers/devices/devices.ts";
import { forkBombs } from "./dangers/fork-bombs.ts";
import { JUDGED, judgeOf, nameOf } from "./dangers/judges.ts";
import { LineReading } from "./dangers/line-reading.ts";
import { movedFolder } from "./dangers/moved-folder.ts";
import { judgeReadings } from "./dangers/readings.ts";
import { foundBySearches, standIn, withArguments, writingRedirections } from "./dangers/redirections.ts";
import {
  fedShells,
  judgeFedShell,
  judgeFound,
  overwrittenTarget,
  type TextAnswer,
} from "./dangers/searches/found-writes.ts";
import { variableTexts } from "./dangers/texts/callback-texts.ts";
import { evaluatedTexts } from "./dangers/texts/evaluated-texts.ts";
import { TextBudget } from "./dangers/texts/text-budget.ts";
import { mayBeGone, textsBehind } from "./dangers/texts/unknown-programs.ts";
import { type Added, addedOptions, FILLS_IN, filledIn, isFilled } from "./dangers/values/added.ts";
import { expandWord, type Field, textField } from "./dangers/values/fields.ts";
import { isPartlyKnown } from "./dangers/values/rendered-fields.ts";
import type { Finding, Refusal } from "./finding.ts";

export type { DangerOptions } from "./dangers/call.ts";

/** The hard blocks of a line. */
export interface Dangers {
  readonly blocks: readonly Finding[];
  /** What is a block for some values of what is not known. */
  readonly undecided: readonly Finding[];
}

/** What stands around a text inside a text. */
interface Around {
  readonly budget: TextBudget;
  /** The variables of the line around it. */
  readonly outer?: (name: string) => readonly Field[];
}

/** All hard blocks in a command line, also in one that was not understood completely. */
export function findDangers(
  analysis: CommandAnalysis,
  context: PathContext & DangerOptions,
  around: Around = { budget: new TextBudget() },
): Dangers {
  const line = new Line(analysis, context, around);
  const found = [
    ...forkBombs(analysis),
    ...[...analysis.effective, ...mayRunHere(analysis)].flatMap((each) => line.judge(each)),
    ...line.redirections(),
    ...line.heldTexts(),
    ...line.fedShells(),
  ];
  return {
    blocks: found.filter(({ severity }) => severity === "block"),
    undecided: found.filter(({ code }) => code === UNDECIDED_CODE),
  };
}

/** What launchers and wrappers that were not understood may run; what a container removes is not of this machine. */
export function mayRunHere({ perhaps }: CommandAnalysis): EffectiveCommand[] {
  // The value of a variable is a text that some program may run: it is judged where one does.
  return perhaps.filter(({ contained, via }) => !contained && !via.includes("variable"));
}

/** Words of an unresolved command that are tried as the program; it is never approved by itself either way. */
const MAX_READINGS = 16;

class Line {
  readonly #analysis: CommandAnalysis;
  readonly #context: PathContext & DangerOptions;
  readonly #budget: TextBudget;
  readonly #reading: LineReading;
  readonly #starts = new Map<EffectiveCommand["written"], readonly Field[]>();
  readonly #beside = new Map<EffectiveCommand["written"], EffectiveCommand[]>();

  constructor(analysis: CommandAnalysis, context: PathContext & DangerOptions, { budget, outer }: Around) {
    this.#analysis = analysis;
    this.#context = context;
    this.#budget = budget;
    this.#reading = new LineReading(analysis, context, outer);
    for (const command of analysis.effective) {
      const known = this.#beside.get(command.written);
      if (known === undefined) this.#beside.set(command.written, [command]);
      else known.push(command);
    }
  }

  judge(command: EffectiveCommand): Finding[] {
    const at = { span: command.span, argv: command.argv.map((word) => word.display) };
    const readings = this.#readings(command).map((argv) => this.#judgeArgv(argv, command));
    const refusal = worst([...readings, this.#behindUnknown(command)]);
    if (refusal?.severity === "block") return [{ ...refusal, ...at }];
    return [...this.#inTexts(command), ...(refusal === undefined ? [] : [{ ...refusal, ...at }])];
  }

  /** The words of a command, or of each that it may be. */
  #readings({ argv, unresolved }: EffectiveCommand): (readonly Word[])[] {
    if (unresolved === undefined) return [argv];
    if (argv[0] !== undefined && programNameOf(argv[0]) === null) return [];
    const starts = [...argv.entries()].filter(([, word]) => judgeOf(nameOf(word)) !== undefined);
    return starts.slice(0, MAX_READINGS).map(([at]) => argv.slice(at));
  }

  /** `$SUDO rm -rf /`: where the variable is empty, or holds a wrapper, the next word is the program. */
  #behindUnknown(command: EffectiveCommand): Refusal | undefined {
    const [program, ...rest] = command.argv;
    if (program === undefined || programNameOf(program) !== null) return undefined;
    const values = this.#reading.bindings.at(command);
    if (!program.expansions.glob && expandWord(program, values).some(isPartlyKnown)) return undefined;
    const here = this.#reading.folderOf(command);
    const texts = textsBehind({ argv: command.argv, expand: (word) => expandWord(word, values) }, JUDGED);
    const [judged, doubt] = this.#budget.take(texts);
    const found = [
      mayBeGone(program) ? this.#judgeArgv(rest, command) : undefined,
      ...judged.flatMap((text) => this.#inText(text, command, here)),
    ];
    const refusal = found.find((each) => each?.severity === "block");
    return refusal === undefined
      ? doubt
      : undecided(`what \`${program.display}\` starts may be this: ${refusal.message}`);
  }

  #judgeArgv(argv: readonly Word[], command: EffectiveCommand): Refusal | undefined {
    const name = argv[0] === undefined ? "" : nameOf(argv[0]);
    const judge = judgeOf(name);
    if (judge === undefined) return undefined;
    const values = this.#reading.bindings.at(command);
    const added = this.#reading.added(command);
    const args = [...argv.slice(1), ...addedOptions(added, argv[0])];
    const fieldsOf = (word: Word): readonly Field[] => {
      // What `find -exec` and `fd -x` fill in is judged with them, what `xargs -I` does with what it reads.
      if (isFilled(word, added)) return filledIn(word, added);
      return word.expansions.input && command.via.some(FILLS_IN) ? [] : expandWord(word, values);
    };
    const call: DangerCall = {
      command,
      name,
      args,
      folder: this.#reading.folderOf(command),
      feeder: added.fields === undefined ? undefined : this.#reading.outputs.feeder(command),
      fields: args.flatMap(fieldsOf),
      fieldsOf,
      added: added.placeholder === undefined ? added.fields : undefined,
      beside: this.#beside.get(command.written) ?? [],
      line: this.#analysis,
      options: this.#context,
    };
    return worst([judgeReadings(judge, call), this.#foundWritten(call, added)]);
  }

  /** What a command writes that a search has found. */
  #foundWritten(call: DangerCall, added: Added): Refusal | undefined {
    return judgeFound(call, added, (text) => this.#writtenIn(text, call.command, call.folder));
  }

  /** What a text does that has a device in the place of what is found. */
  #writtenIn(text: string, command: EffectiveCommand, folder: Folder): TextAnswer {
    const [judged, doubt] = this.#budget.take([text]);
    const found = judged.flatMap((each) => this.#inText(each, command, folder));
    return { writesDevice: found.some(({ code }) => code === "writes-device"), doubt };
  }

  /** What the texts do that a command gives to a shell, and what it is once its words are known. */
  #inTexts(command: EffectiveCommand): Finding[] {
    const { inside, around, exceeded } = this.#reading.texts.of(command, () => this.#reading.added(command));
    const here = this.#reading.folders.of(command);
    const [judgedAround, doubt] = this.#budget.take(around);
    const [judgedInside, other] = this.#budget.take(inside);
    const refusal = doubt ?? other;
    const found = [
      ...judgedAround.flatMap((text) => this.#inText(text, command, here)),
      ...judgedInside.flatMap((text) => this.#inText(text, command, this.#reading.folderOf(command))),
    ];
    const beyond = exceeded ? undecided("what a shell runs here is beyond what is looked at") : refusal;
    return beyond === undefined ? found : [...found, { ...beyond, span: command.span }];
  }

  #inText(text: string, command: EffectiveCommand, { cwd, lost }: Folder): Finding[] {
    const place = { ...this.#context, cwd, lost };
    const analysis = analyzeCommand(text);
    const outer = (name: string): readonly Field[] => this.#reading.texts.valuesAt(command).variable(name);
    const { blocks, undecided: doubts } = this.#budget.deeper((budget) =>
      findDangers(analysis, place, { budget, outer }),
    );
    const beyond = analysis.errors.some(isLimitProblem) ? [undecided("a text for a shell is too large")] : [];
    return [...blocks, ...doubts, ...beyond].map((finding) => ({ ...finding, span: command.span }));
  }

  /** What the redirections of the line write to. */
  redirections(): Finding[] {
    return writingRedirections(this.#analysis).flatMap(({ redirection, commands }): Finding[] => {
      const { operator, span, target } = redirection;
      const refusal = worst(
        commands.map((command) => {
          const fields = this.#targetOf(redirection, command);
          const folder = this.#folderOfRedirections(command);
          const written = judgeRedirectionTarget(operator, fields, folder);
          return (
            written ?? overwrittenTarget(target, (word) => expandWord(word, this.#reading.bindings.at(command)), folder)
          );
        }),
      );
      return refusal === undefined ? [] : [{ ...refusal, span }];
    });
  }

  /** What may run beside the commands: what variables hold (`GIT_PAGER`), and what bash expands in quotes. */
  heldTexts(): Finding[] {
    return [...variableTexts(this.#analysis), ...evaluatedTexts(this.#analysis)].flatMap((held): Finding[] => {
      const { how, text, simple } = held;
      const [judged, doubt] = this.#budget.take([text]);
      const found = judged.flatMap((each) => this.#inText(each, standIn(simple), this.#reading.folders.of(simple)));
      const block = found.find(({ severity }) => severity === "block");
      const refusal = block === undefined ? doubt : undecided(`${how}: ${block.message}`);
      return refusal === undefined ? [] : [{ ...refusal, span: simple.span }];
    });
  }

  /** What shells write that are given what a search has found. */
  fedShells(): Finding[] {
    return fedShells(this.#analysis).flatMap(({ simple, text }): Finding[] => {
      const command = standIn(simple);
      const fed = this.#reading.fed(command) ?? [];
      const refusal = judgeFedShell(fed, this.#reading.outputs.feeder(command), this.#reading.folders.of(simple));
      const answer =
        refusal === undefined ? undefined : this.#writtenIn(text, command, this.#reading.folders.of(simple));
      const found = answer?.writesDevice === true ? refusal : answer?.doubt;
      return found === undefined ? [] : [{ ...found, span: simple.span }];
    });
  }

  #targetOf({ target, span }: Redirection, command: EffectiveCommand): readonly Field[] {
    if (target === null) return [];
    if (target.value !== null) return [textField(target.value)];
    const use = { command, start: span.start, context: command.simple.context };
    const given = this.#givenBySearch(command);
    return [this.#reading.bindings.use(use), this.#reading.texts.valuesIn(use)].flatMap((values) =>
      expandWord(target, withArguments(values, given)),
    );
  }

  /** What `find -exec sh -c` may give to the text that a command stands in. */
  #givenBySearch({ via, written }: EffectiveCommand): readonly Field[] {
    if (!via.some((each) => each.startsWith("find -"))) return [];
    const known = this.#starts.get(written);
    const starts =
      known ?? foundBySearches(this.#beside.get(written) ?? [], (search) => this.#reading.bindings.at(search));
    this.#starts.set(written, starts);
    return starts;
  }

  /** A wrapper goes elsewhere behind the redirections of its line, and before those in a text that it runs. */
  #folderOfRedirections(command: EffectiveCommand): Folder {
    const { simple, written, movedTo } = command;
    const folder = this.#reading.folders.of(simple);
    return simple === written ? folder : movedFolder(folder, movedTo, this.#reading.bindings.at(command));
  }
}
