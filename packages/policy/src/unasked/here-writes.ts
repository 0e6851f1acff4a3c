/**
 * Programs that write into the folder they run in because no other is named: `tar -xf a.tar`, `wget URL`, `ln -s /a`.
 *
 * What they write there has a name that the line need not have. Where a folder or a file is named, `system-writes.ts` looks
 * at it.
 */
import type { Word } from "@pi-bash/command";

/** Whether a program writes into its own folder, by its arguments as text. */
type Rule = (texts: readonly string[]) => boolean;

const some = (texts: readonly string[], option: RegExp): boolean => texts.some((text) => option.test(text));
const operands = (texts: readonly string[]): readonly string[] => texts.filter((text) => !text.startsWith("-"));

/** The folder is another one, or the text goes to standard output, or nothing is written. */
const unless =
  (option: RegExp): Rule =>
  (texts) =>
    operands(texts).length > 0 && !some(texts, option);

const tar: Rule = (texts) =>
  (/x/.test(operands(texts.slice(0, 1))[0] ?? "") || some(texts, /^-[a-zA-Z]*x|^--(?:extract|get)$/)) &&
  !some(texts, /^-[a-zA-Z]*[CO]|^--(?:directory|one-top-level|to-stdout|to-command)/);

/** `git clone URL` and `git init`, behind whatever options of git itself. */
const git: Rule = (texts) => {
  const at = texts.findIndex((text) => text === "clone" || text === "init");
  const most = texts[at] === "clone" ? 1 : 0;
  return at !== -1 && operands(texts.slice(at + 1)).length <= most;
};

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["ln", (texts) => operands(texts).length === 1 && !some(texts, /^-[a-zA-Z]*t|^--target-directory/)],
  ["tar", tar],
  ["bsdtar", tar],
  ["unzip", unless(/^-[a-zA-Z]*[dlptvzZ]|^--extract-dir/)],
  ["7z", (texts) => /^[ex]$/.test(texts[0] ?? "") && !some(texts, /^-(?:o.|so)/)],
  [
    "cpio",
    (texts) =>
      some(texts, /^-[a-zA-Z]*[ip]|^--(?:extract|pass-through)/) &&
      !some(texts, /^-[a-zA-Z]*[tD]|^--(?:list|directory)/),
  ],
  ["ar", (texts) => /^-?[a-zA-Z]*x/.test(texts[0] ?? "")],
  ["curl", (texts) => some(texts, /^-[a-zA-Z#]*O|^--remote-name/) && !some(texts, /^--output-dir/)],
  ["wget", unless(/^-[a-zA-Z]*[OP]|^--(?:output-document|directory-prefix|spider)/)],
  ["aria2c", unless(/^-[a-zA-Z]*d|^--dir/)],
  ["split", (texts) => operands(texts.filter((_, at) => !/^-[abClnt]$/.test(texts[at - 1] ?? ""))).length < 2],
  ["csplit", unless(/^-[a-zA-Z]*f|^--prefix/)],
  ["patch", (texts) => !some(texts, /^-[a-zA-Z]*[do]|^--(?:directory|output|dry-run)/)],
  ["git", git],
]);

/** Whether the program writes files into the folder that it runs in, whatever they are called. */
export function writesHere(name: string, args: readonly Word[]): boolean {
  return RULES.get(name)?.(args.map(({ value, leading }) => value ?? leading)) ?? false;
}
