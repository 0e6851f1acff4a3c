/**
 * The predicates of `find` that take words, so that a value is never taken for a predicate.
 *
 * `find . ! -name -exec -exec rm {} +` looks for a file called `-exec` and runs `rm`. Source: the manual of GNU
 * findutils 4.10 and that of FreeBSD's find. Which predicates only read is the policy's matter.
 */

const ONE =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|x?type|size|[acm]time|[acm]min|newer|[ac]newer|newer[aBcm][aBcmt]|user|group|[ug]id|perm|links|inum|samefile|fstype|used|maxdepth|mindepth|regextype|context|printf|D|files0-from|fprint0?|fls|Btime|Bmin|mnewer|flags)$/;

/** Words a predicate takes behind itself: 0, 1, or 2 for `-fprintf FILE FORMAT`. */
export function findValues(predicate: string): number {
  if (predicate === "-fprintf") return 2;
  return ONE.test(predicate) ? 1 : 0;
}

/** Predicates that run a command up to `;` or `+`. */
export const FIND_RUNS: ReadonlySet<string> = new Set(["-exec", "-execdir", "-ok", "-okdir"]);
