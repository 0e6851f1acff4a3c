/**
 * The commands that `parallel` runs: a template, once for each of what stands behind `:::` or of the lines that it reads.
 *
 * Source: parallel(1). Without a template each of them is a command itself.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { type Field, UNKNOWN } from "../values/fields.ts";
import { joined } from "../values/formatted-texts.ts";
import { asWord, plainText } from "../values/rendered-fields.ts";

/** Options whose value is the next word. */
const TAKES_NEXT =
  /^(?:-[jPnNLIaCSsd]|--(?:jobs|max-procs|arg-file|colsep|delay|delimiter|joblog|results|retries|timeout|sshlogin|max-args|max-replace-args|tmpdir|workdir|halt|memfree|load|tagstring))$/;

/** Between template and items: `:::+` pairs them, `::::` and `:::::+` name files with them. */
const SEPARATOR = /^(::::?)\+?$/;

/** The texts that `parallel` runs; none for another program. */
export function parallelTexts(
  { argv }: EffectiveCommand,
  expand: (word: Word) => readonly Field[],
  lines: () => readonly Field[],
): readonly string[] {
  if (programName(firstValue(argv)) !== "parallel") return [];
  const words = argv.slice(firstWord(argv));
  const end = words.findIndex(({ value }) => SEPARATOR.test(value ?? ""));
  const template = joined(words.slice(0, end === -1 ? undefined : end).flatMap(expand), " ");
  const items = end === -1 ? lines() : itemsOf(words.slice(end), expand);
  return items.map((item) => withItem(plainText(template), item));
}

function firstWord(argv: readonly Word[]): number {
  let at = 1;
  for (let value = argv[at]?.value; value?.startsWith("-") === true; value = argv[at]?.value) {
    at += TAKES_NEXT.test(value) ? 2 : 1;
  }
  return at;
}

/** What stands behind the separators; the lines of files are not known. */
function itemsOf(words: readonly Word[], expand: (word: Word) => readonly Field[]): readonly Field[] {
  let isFile = false;
  return words.flatMap((word): readonly Field[] => {
    const separator = SEPARATOR.exec(word.value ?? "")?.[1];
    if (separator === undefined) return isFile ? [] : expand(word);
    isFile = separator === "::::";
    return isFile ? [[UNKNOWN]] : [];
  });
}

/** An item is quoted where it stands in a template. */
function withItem(template: string, item: Field): string {
  if (template === "") return plainText(item);
  const word = asWord(item);
  const filled = template.replaceAll(/\{(?:[./#%]{0,2}|\d+)\}/g, () => word);
  return filled === template ? `${template} ${word}` : filled;
}
