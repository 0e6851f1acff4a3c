/**
 * Code on a command line that writes below `/etc`: `python3 -c 'open("/etc/x", "w")'`.
 *
 * It is read by patterns: a path of `/etc` in quotes, and a word that writes.
 */
import type { Word } from "@pi-bash/command";

/** Programs whose arguments may be code. */
export const INTERPRETERS = /^(?:python[\d.]*|pypy\d*|perl|ruby|node|php|lua)$/;
const CODE_WRITES =
  /\bopen\b[^)]*,\s*(?:mode\s*=\s*)?['"](?:[rwaxt+b]*[wax+]|[+]?>)|\bwrite|\bunlink|\bremove|\brename|\bchmod|\bmkdir|\bcopy|\bappend|\bsymlink|\brmtree|\bfile_put/i;

/** A program's text that names a path there and writes. */
export function inlineCode(name: string, args: readonly Word[]): string | undefined {
  if (!INTERPRETERS.test(name)) return undefined;
  const code =
    args.find((_, at) => /^-{1,2}(?:[a-zA-Z]*[ceErp]|eval|print)$/.test(args[at - 1]?.value ?? ""))?.display ?? "";
  const path = /['"`](\/etc\/[^'"`]*)['"`]/.exec(code)?.[1];
  return path !== undefined && CODE_WRITES.test(code) ? path : undefined;
}
