/**
 * What one line means before it is judged: the values of its words, the folders of its commands, the texts that it gives
 * to shells. Each is worked out by a module of its own; they ask each other here.
 */
import type { CommandAnalysis, EffectiveCommand } from "@pi-bash/command";
import type { Folder, PathContext } from "../danger-paths.ts";
import { Folders } from "./folders.ts";
import { movedFolder } from "./moved-folder.ts";
import { LineTexts } from "./texts/line-texts.ts";
import { type Added, addedTo } from "./values/added.ts";
import { Bindings } from "./values/bindings.ts";
import type { Field } from "./values/fields.ts";
import { Outputs } from "./values/outputs.ts";
import { ownVariable } from "./values/shell-variables.ts";

/** The reading of one line. */
export class LineReading {
  /** What its commands print. */
  readonly outputs: Outputs;
  /** The values of its variables. */
  readonly bindings: Bindings;
  /** What it gives to shells. */
  readonly texts: LineTexts;
  /** Where its commands run, before wrappers go elsewhere. */
  readonly folders: Folders;

  /** `outer`: the variables of the line that this one is a text of. */
  constructor(
    analysis: CommandAnalysis,
    context: PathContext,
    outer: (name: string) => readonly Field[] = ownVariable,
  ) {
    this.outputs = new Outputs(analysis);
    const place = { home: context.home ?? "/home/any-name", cwd: context.cwd, outer };
    this.bindings = new Bindings(analysis, place, this.outputs);
    this.texts = new LineTexts(analysis, place, this.outputs);
    this.folders = new Folders(analysis, context, {
      values: (command) => this.bindings.at(command),
      texts: (command) => this.texts.inShell(command),
    });
    this.bindings.follow((command) => this.folders.of(command));
    this.texts.follow((command) => this.folders.of(command));
  }

  /** What `xargs` adds to a command, and where. */
  added(command: EffectiveCommand): Added {
    return addedTo(command, this.bindings.at(command), () => this.fed(command));
  }

  /** What a command reads from the stage of the pipeline before it; undefined where that is not known. */
  fed(command: EffectiveCommand): readonly Field[] | undefined {
    return this.outputs.feeding(command, (each) => this.bindings.at(each));
  }

  /** The folder that a command runs in, behind `env -C` and its like. */
  folderOf(command: EffectiveCommand): Folder {
    return movedFolder(this.folders.of(command), command.movedTo, this.bindings.at(command));
  }
}
