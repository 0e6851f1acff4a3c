/**
 * Commands that git runs for a remote of its `ext` transport: `git clone 'ext::ssh host %S repository'`.
 *
 * Source: git-remote-ext(1). Git splits the text at spaces and starts the first word without a shell. Whether the
 * configuration lets it is not looked at.
 */
import { firstValue, literalWord, type Word } from "./word.ts";

/** What may stand before the text in a word: nothing, an option or a setting, or the key of a setting. */
const PREFIX = /(?:^|=|^url\.)ext::/i;
/** What stands behind it in the key of a setting. */
const BEHIND_KEY = /\.(?:push)?insteadof(?:=.*)?$/is;
/** Longest text that is split, in UTF-16 units. */
const MAX_CHARS = 4_096;

/** The commands that words of a git call name; a word without a value where one expands. */
export function transportCommands(argv: readonly Word[]): readonly (readonly Word[])[] {
  const isHelper = /(?:^|\/)git-remote-ext$/.test(firstValue(argv)) || argv.some((word) => word.value === "remote-ext");
  return argv.slice(1).flatMap((word) => {
    const text = word.value ?? word.leading;
    const found = PREFIX.exec(text);
    if (found === null) return isHelper && /\s/.test(text) ? [split(word, text)] : [];
    const rest = text.slice(found.index + found[0].length);
    return [split(word, found[0].startsWith("url") ? rest.replace(BEHIND_KEY, "") : rest)];
  });
}

function split(word: Word, text: string): readonly Word[] {
  if (word.value === null || text.length > MAX_CHARS) return [{ ...word, value: null, leading: "", splits: true }];
  const words = text.match(/(?:%[\s\S]|[^ %])+/g) ?? [];
  // A first word of `%G` or `%V` is for git itself.
  return words
    .filter((each) => !/^%[GV]/.test(each))
    .map((each) => literalWord(each.replaceAll(/%([\s\S])/g, plain), word.span));
}

function plain(_: string, letter: string): string {
  if (letter === "s") return "upload-pack";
  return letter === "S" ? "git-upload-pack" : letter;
}
