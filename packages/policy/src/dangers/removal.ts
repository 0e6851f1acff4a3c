/**
 * Removing, moving and changing the modes of what belongs to the system: `rm`, `find`, `fd`, `mv`, `chmod`, `chown`.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import { type FieldTarget, targetOf } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import {
  block,
  type DangerCall,
  type DangerJudge,
  leadingText,
  operandsOf,
  shownField,
  undecided,
  worst,
} from "./call.ts";
import { isDeviceField } from "./devices.ts";
import { type Field, knownText } from "./fields.ts";
import { type FindAction, type Narrowing, readFind } from "./find-expression.ts";

/** The judges of this file, by program. */
export const REMOVAL_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["rm", judgeRemove],
  ["grm", judgeRemove],
  ["srm", judgeRemove],
  ["rimraf", judgeRemove],
  ["chmod", judgeModes],
  ["chown", judgeModes],
  ["chgrp", judgeModes],
  ["setfacl", judgeModes],
  ["chattr", judgeModes],
  ["mv", judgeMove],
  ["rsync", judgeMirror],
  ["find", judgeFind],
  ["gfind", judgeFind],
  ["fd", judgeFd],
  ["fdfind", judgeFd],
];

/**
 * `-r` in any bundle, `--recursive` in any abbreviation, anywhere: options may follow operands. Of `-r$X` the part that is
 * known counts.
 */
function isRecursive(call: DangerCall, letters: RegExp): boolean {
  const texts = argumentTexts(call);
  const end = texts.indexOf("--");
  const begins = call.fields.map(([first]) => (first?.kind === "text" ? first.text : undefined));
  const last = end === -1 ? texts.length : end;
  return texts
    .slice(0, last)
    .map((text, at) => text ?? begins[at])
    .some((text) => letters.test(text ?? "") || /^--r(?:e(?:c\w*)?)?$/.test(text ?? ""));
}

function argumentTexts({ fields }: DangerCall): (string | undefined)[] {
  return fields.map(knownText);
}

function judgeRemove(call: DangerCall): Refusal | undefined {
  const targets = operandsOf(call).map((field) => ({ field, target: targetOf(field, call.folder) }));
  const certain = targets.map(({ target }) => target.certain).find((each) => each?.kind === "main");
  // What `find` names is removed one by one.
  const takesAll = call.name === "rimraf" || /^(?:g?find|fd|fdfind)$/.test(call.feeder ?? "");
  if (!takesAll && !isRecursive(call, /^-[a-zA-Z]*[rR]/)) {
    // `rm $OPTIONS /etc` and `rm -$OPTIONS /etc`.
    const loose = call.args.some(
      (word) =>
        (word.value === null && /^-[a-zA-Z]*$/.test(word.leading)) ||
        (word.splits && word.leading === "" && mayBeOption(call.fieldsOf(word))),
    );
    return certain !== undefined && loose ? undecided(`\`rm\` with unknown options on ${certain.name}`) : undefined;
  }
  return worst(targets.map(({ field, target }) => removal(`\`${call.name} -r\``, field, target)));
}

function mayBeOption(fields: readonly Field[]): boolean {
  return fields.some((field) => field[0]?.kind === "unknown" && field[0].mayBeAbsolute);
}

/** What it means to remove a target. */
function removal(how: string, field: Field, { certain, possible }: FieldTarget): Refusal | undefined {
  if (certain !== undefined && certain.kind !== "doubtful") return block("remove-system", `${how} on ${certain.name}`);
  if (certain !== undefined) return undecided(`${how} on ${certain.name}`);
  if (possible === undefined) return undefined;
  return undecided(`${how} on \`${shownField(field)}\`, which may be ${possible.name}`);
}

/** Changes far below a folder of the system are what administrators do: those ask. */
function judgeModes(call: DangerCall): Refusal | undefined {
  if (!isRecursive(call, /^-[a-zA-Z]*R/)) return undefined;
  return worst(
    operandsOf(call).map((field) => {
      const { certain, possible } = targetOf(field, call.folder);
      const target = certain ?? possible;
      if (target === undefined) return undefined;
      const message = `recursive change of modes or owners of ${target.name}`;
      return certain?.kind === "main" ? block("modes-of-system", message) : modesInDoubt(field, call, message);
    }),
  );
}

/** The mode and the owner are operands, too: only what may be a path is doubtful. */
function modesInDoubt(field: Field, call: DangerCall, message: string): Refusal | undefined {
  const first = operandsOf(call)[0];
  return field === first && leadingText(field) === "" ? undefined : undecided(message);
}

function judgeMove(call: DangerCall): Refusal | undefined {
  const operands = operandsOf(call);
  const into = call.fields.some((field) => /^(?:-t|--target-directory)/.test(leadingText(field)));
  const moved = into ? operands : operands.slice(0, -1);
  for (const field of moved) {
    const { certain } = targetOf(field, call.folder);
    if (certain?.kind === "main") return block("move-system", `\`mv\` of ${certain.name}`);
  }
  const device = operands.slice(-1).find((field) => isDeviceField(field, call.folder));
  return device === undefined
    ? undefined
    : block("writes-device", `\`mv\` overwrites the device \`${shownField(device)}\``);
}

/** `rsync --delete` empties what its source does not have; it also copies, which may reach a device. */
function judgeMirror(call: DangerCall): Refusal | undefined {
  const target = operandsOf(call).at(-1);
  if (target === undefined) return undefined;
  const removes = argumentTexts(call).some((text) => /^--(?:del|delete\S*)$/.test(text ?? ""));
  const { certain } = targetOf(target, call.folder);
  if (removes && certain !== undefined && certain.kind !== "doubtful") {
    return block("remove-system", `\`rsync --delete\` on ${certain.name}`);
  }
  return isDeviceField(target, call.folder)
    ? block("writes-device", `\`rsync\` overwrites the device \`${shownField(target)}\``)
    : undefined;
}

const REMOVERS = /^(?:rm|grm|srm|shred|unlink|rmdir|trash|rimraf|truncate)$/;

/** `find <system folder> … -delete` or `-exec rm`, unless a name or path narrows it. */
function judgeFind(call: DangerCall): Refusal | undefined {
  const { starts, actions } = readFind(call.command.argv);
  const removing = actions.filter((action) => removes(action, call));
  if (removing.length === 0) return judgeFoundModes(call);
  const narrowed = leastOf(removing.map((action) => action.narrowed));
  if (narrowed === "yes") return undefined;
  const fields: readonly Field[] =
    starts.length === 0 ? [[{ kind: "text", text: "." }]] : starts.flatMap((word) => call.fieldsOf(word));
  const answers = [...fields, ...(call.added ?? [])].map((field) => {
    const target = targetOf(field, call.folder);
    const how = "`find` that removes everything";
    if (narrowed === "no" || target.certain === undefined) return removal(how, field, target);
    return undecided(`\`find\` that removes what is not named from ${target.certain.name}`);
  });
  return worst(answers);
}

/** `find / -exec chmod 777 {} +` is `chmod -R`. */
function judgeFoundModes(call: DangerCall): Refusal | undefined {
  const { starts, actions } = readFind(call.command.argv);
  const isChange = actions.some(
    (action) =>
      action.narrowed === "no" &&
      commandsOf(action, call).some(({ argv }) => argv.some((word, index) => isModeChanger(word, roleOf(argv, index)))),
  );
  const target = starts
    .flatMap((word) => call.fieldsOf(word))
    .map((field) => targetOf(field, call.folder).certain)
    .find((each) => each?.kind === "main");
  return isChange && target !== undefined
    ? block("modes-of-system", `change of modes or owners of everything in ${target.name}`)
    : undefined;
}

function leastOf(list: readonly Narrowing[]): Narrowing {
  return list.includes("no") ? "no" : list.includes("weak") ? "weak" : "yes";
}

function removes(action: FindAction, call: DangerCall): boolean {
  if (action.predicate === "-delete") return true;
  return commandsOf(action, call).some(({ argv }) => argv.some((word, index) => isRemover(word, roleOf(argv, index))));
}

/** What `find` runs by an action, through whatever it is wrapped in. */
function commandsOf({ predicate, at }: FindAction, call: DangerCall): readonly EffectiveCommand[] {
  if (!/^-(?:exec|ok)/.test(predicate)) return [];
  const from = call.command.argv[at]?.span.start ?? 0;
  const next = call.command.argv.findIndex(
    (word, index) => index > at && /^-(?:exec|ok)(?:dir)?$/.test(word.value ?? ""),
  );
  const to = next === -1 ? Number.POSITIVE_INFINITY : (call.command.argv[next]?.span.start ?? 0);
  return call.beside.filter(
    ({ via, span }) => via.some((each) => /^find -(?:exec|ok)/.test(each)) && from <= span.start && span.start <= to,
  );
}

/** What a word is to its command. */
type Role = "program" | "argument" | "none";

/** A wrapper that was not understood may run any of its words. */
function roleOf(argv: readonly Word[], index: number): Role {
  if (index === 0) return "program";
  return WRAPPER.test(programName(argv[0]?.value ?? "")) ? "argument" : "none";
}

const WRAPPER = /^(?:sudo|doas|env|timeout|nice|xargs|busybox|sh|bash|dash|zsh)$/;

function isModeChanger(word: Word, role: Role): boolean {
  return role !== "none" && /^(?:chmod|chown|chgrp)$/.test(programName(word.value ?? ""));
}

/** `rm`, and the text for a shell that has it. */
function isRemover(word: Word, role: Role): boolean {
  // What the search fills in stands in the text as written.
  const value = word.value ?? word.display;
  if (role === "none") return false;
  if (REMOVERS.test(programName(value))) return true;
  return role === "argument" && /\s/.test(value) && /(?:^|[\s;&|(/])(?:rm|shred|unlink)\s/.test(value);
}

/** `fd . / -x rm -rf`, with a pattern that matches everything. */
function judgeFd(call: DangerCall): Refusal | undefined {
  const runs = call.beside.some(
    ({ argv, via }) => via.includes("fd --exec") && REMOVERS.test(programName(argv[0]?.value ?? "")),
  );
  if (!runs) return undefined;
  const [pattern, ...places] = operandsOf(call);
  const end = call.args.findIndex((word) => /^(?:-[A-Za-z0-9]*[xX]|--exec|--exec-batch)$/.test(word.value ?? ""));
  const before = new Set(
    call.args.slice(0, end === -1 ? 0 : end).flatMap((word) => call.fieldsOf(word).map(shownField)),
  );
  if (pattern === undefined || !/^[.^$*]*$/.test(knownText(pattern) ?? "x")) return undefined;
  return worst(
    places
      .filter((field) => before.has(shownField(field)))
      .map((field) => removal("`fd` that removes everything", field, targetOf(field, call.folder))),
  );
}
