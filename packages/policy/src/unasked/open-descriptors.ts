/**
 * Descriptors that a line keeps open: `exec 3<> /dev/tcp/h/1` and `exec {in}< <(curl …)` hold a download, which later
 * commands read by `<&3`, `read -u 3` or `/dev/fd/3`.
 *
 * The order of the line is not looked at: what any `exec` opens counts for all of it.
 */
import type { CommandAnalysis, Redirection, Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";

/** By the number of a descriptor, or the name of the variable that has it: where it reads from. */
export type OpenDescriptors = ReadonlyMap<string, string>;

/** What `exec` opens, as far as `sourceOf` knows where it comes from. */
export function openDescriptors(
  { effective }: CommandAnalysis,
  sourceOf: (redirection: Redirection) => string | undefined,
): OpenDescriptors {
  const found = new Map<string, string>();
  for (const { argv, simple } of effective) {
    if (firstValue(argv) !== "exec") continue;
    for (const redirection of simple.redirections) {
      const from = redirection.operator === "<" || redirection.operator === "<>" ? sourceOf(redirection) : undefined;
      if (from !== undefined) found.set(String(redirection.descriptor ?? 0), from);
    }
  }
  return found;
}

/** Where `<&3` and `<&$in` read from. */
export function readsOpen({ operator, target }: Redirection, open: OpenDescriptors): string | undefined {
  return operator === "<&" && target !== null ? descriptorIn(target, open) : undefined;
}

/** Where `read -u 3`, `read -ru3` and `mapfile -u "$in"` read from. */
export function optionReadsOpen(args: readonly Word[], open: OpenDescriptors): string | undefined {
  if (open.size === 0) return undefined;
  for (const [at, word] of args.entries()) {
    const next = args[at + 1];
    if (/^-[a-zA-Z]*u$/.test(word.value ?? "") && next !== undefined) return descriptorIn(next, open);
    const attached = /^-[a-zA-Z]*u(\d+|\$.*)$/.exec(word.display)?.[1];
    if (attached !== undefined) return open.get(named(attached));
  }
  return undefined;
}

/** The paths by which an open descriptor is opened again. */
export function pathsOf(open: OpenDescriptors): [path: string, from: string][] {
  return [...open].flatMap(([descriptor, from]): [string, string][] =>
    ["/dev/fd/", "/proc/self/fd/", "/proc/$$/fd/"].map((folder) => [`${folder}${descriptor}`, from]),
  );
}

function descriptorIn({ display }: Word, open: OpenDescriptors): string | undefined {
  return open.get(named(display.replace(/-$/, "")));
}

/** `3` is itself; `$in` and `${in}` are the name. */
function named(text: string): string {
  return text.replace(/^\$\{?(\w+)\}?$/, "$1");
}
