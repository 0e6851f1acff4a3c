/** The files that a download of a line ends up in: redirections, options that name one, and the last part of an address. */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";

/** The files that a download is written to, as far as the line says. */
export function filesOf({ argv, simple, written }: EffectiveCommand): string[] {
  const name = programName(firstValue(argv));
  const texts = argv.map(({ value }) => value ?? "");
  const targets = [...simple.redirections, ...written.redirections]
    .filter(({ operator }) => /^(?:&?>|>\||>>|&>>)$/.test(operator))
    .flatMap(({ target }) => (target === null ? [] : [pathOf(target)]));
  const option = name === "curl" ? /^-[a-zA-Z#]*o$|^--output$/ : /^-[a-zA-Z]*[Oo]$|^--(?:output-document|out)$/;
  const given = argv.flatMap((word, at) => {
    if (option.test(texts[at - 1] ?? "")) return [pathOf(word)];
    const inline = /^--(?:output|output-document|out)=(.+)$/.exec(texts[at] ?? "")?.[1];
    return inline === undefined ? [] : [normal(inline)];
  });
  const named = name === "wget" || texts.some((text) => /^-[a-zA-Z]*O|^--remote-name/.test(text));
  const remote = named
    ? argv.flatMap(({ display: text }) => /^(?:https?|ftp):\/\/[^?#]*\/([^/?#]+)(?:[?#]|$)/.exec(text)?.[1] ?? [])
    : [];
  return [...targets, ...given, ...remote].filter((file) => file !== "" && file !== "-" && !file.startsWith("/dev/"));
}

/** The path of a word, the same for `./a` and `a`. */
export function pathOf(word: Word): string {
  return normal(word.value ?? word.text);
}

function normal(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}
