/**
 * Random commands over everything a session keeps: each is one step of a sequence, with the text that plain bash runs in
 * its place where a session promises something else than a script does (an `exit` that does not end the session).
 *
 * Texts print the same at every time on every machine and end by themselves. What a shell prints of its own processes
 * (`$!`, `$$`) is never printed.
 */
import { capabilities } from "@pi-bash/natives";
import { pick, type Random } from "../../support/random.ts";
import { command } from "./commands.ts";

/** One step of a sequence. */
export interface Step {
  /** What the session runs. */
  readonly text: string;
  /** What plain bash runs: a part of a script. */
  readonly plain: string;
  /** The shell is replaced: what only the process had is gone, and plain bash has to give it up too. */
  readonly replaces: boolean;
  /** Is also run in a copy of the session before its turn. */
  readonly cloned: boolean;
}

/** Which kinds of steps a sequence may have. */
export interface Flavour {
  /** Steps that end the shell. */
  readonly ends: boolean;
  /** Steps that are run in a copy first. */
  readonly clones: boolean;
}

/** The frame's function that sets `$?`; as the left side of `&&` it sets off no ERR trap. */
const setStatus = (status: string) => `__ref_r ${status} && \\:`;

/**
 * Over the bash driver `exit` ends a command and no shell, and a shell that died is replaced by a fork of it. With
 * `PI_BASH_SESSION=per-command` each command has a bash of its own instead.
 */
export const DRIVEN = capabilities().session === "persistent";

/** What a replaced shell has lost, undone in plain bash: descriptors, jobs, hashed paths, the DEBUG trap. */
export const LOSE = DRIVEN
  ? "disown -a"
  : [
      ...[3, 4, 5, 6, 7, 8, 9].map((number) => `exec ${number}>&-`),
      "disown -a",
      "hash -r 2>/dev/null || :",
      "trap - DEBUG",
      "enable printf echo",
    ].join("; ");

/**
 * What shows that a copy is a fork of a waiting shell, four levels deep and in a loop: documented in
 * docs/session-protocol.md, "Known limits". And plain bash tells of a subshell that was killed.
 */
const IN_A_FORK = /BASH_SUBSHELL|\b(?:break|continue)\b|kill -9 \$/;

/** Commands about positional parameters, and about traps on ERR and RETURN. */
const UNSEEN_IN_A_FUNCTION = /\btrap\b|\bset --|\bshift\b/;

/** A sequence of 4 to 12 steps. */
export function sequence(random: Random, { ends, clones }: Flavour): Step[] {
  const length = 4 + Math.floor(random() * 9);
  let differs = false;
  return Array.from({ length }, () => {
    const made = ends && random() < 0.2 ? ending(random) : step(random);
    // From then on a copy may be a new bash, whose process id is its own; and none is traced.
    differs ||= /\$\$|xtrace/.test(made.text);
    // A copy has the traps that a subshell has not.
    differs ||= /\btrap\b/.test(made.text);
    return { ...made, cloned: clones && random() < 0.4 && !differs && !IN_A_FORK.test(made.text) };
  });
}

function step(random: Random): Step {
  if (random() < 0.05) return scoped(random);
  const commands = Array.from({ length: 1 + Math.floor(random() * 3) }, () => command(random));
  return same(joined(commands));
}

/** One line, so that plain bash drops as much as a session where an error drops the rest of a line. */
function joined(commands: readonly string[]): string {
  const lines = commands.filter((text) => !text.includes("\n"));
  const last = commands.find((text) => text.includes("\n"));
  // Neither behind `&` nor alone may stand `;`.
  return last ?? lines.filter((text) => text.trim() !== "" || lines.length === 1).join("; ");
}

function same(text: string): Step {
  return { text, plain: text, replaces: false, cloned: false };
}

/** What belongs to the command that says it. */
function scoped(random: Random): Step {
  const before = line(random);
  return pick<() => Step>(
    [
      // Runs at the end of the command, with its status, which stays.
      () => ({
        ...same(`trap 'echo bye $?' EXIT; ${before}`),
        plain: `trap 'echo bye $?' EXIT; ${before}\n__ref_t=$?; trap - EXIT\n${setStatus("$__ref_t")}\necho bye $?\n${setStatus("$__ref_t")}`,
      }),
      () => same(`exec >~/out.txt; ${before}`),
      () => same("exec >/dev/null 2>&1; echo hidden"),
      () => same("exec 2>&1; echo shown >&2"),
      () => same("exec </dev/null; read -r line; echo $?"),
      () => same("set -e; true; echo strict"),
      () => same("set -v; set +v"),
      // A text that cannot be parsed.
      () =>
        broken(
          pick(
            ["echo 'abc", "if true; then", "echo )", "for", "((1", "${x", "case x in", "f() {", "a=(1", "&&"],
            random,
          ),
        ),
      () => broken(pick(["echo one\necho )\necho two", "echo ${a!b}", "done", "cat <<E", "echo `"], random)),
    ],
    random,
  )();
}

/** Plain bash would end at it, or take the frame for a part of it. No ERR trap runs for it. */
function broken(text: string): Step {
  return { ...same(text), plain: `(eval ${quoted(text)}) || ${setStatus("$?")}` };
}

/** Steps after which another shell stands there. On one line, which an error in it drops as a whole. */
function ending(random: Random): Step {
  const before = line(random);
  const status = pick(["0", "1", "7", "255"], random);
  const ended = { replaces: true, cloned: false };
  /** The state that the command had reached stays. */
  const reached = (how: string, code: string, done = ":"): Step => ({
    text: `${before}; ${how}`,
    plain: DRIVEN ? `${before}; ${done}; ${setStatus(code)}` : `${before}; ${done}; ${LOSE}; ${setStatus(code)}`,
    ...ended,
    replaces: !DRIVEN,
  });
  /** The state before the command comes back. */
  const dropped = (how: string, code: string): Step => {
    // A step may have made `a` an integer: no such value can be assigned then, and the line ends there.
    const change = `declare +i a; a=${pick(["lost", "'l o s t'"], random)}; cd /usr; f() { echo lost; }; umask 027; echo out`;
    return { text: `${change}; ${how}`, plain: `(${change}); ${LOSE}; ${setStatus(code)}`, ...ended };
  };
  return pick<() => Step>(
    [
      () => reached(`exit ${status}; echo never`, status),
      () => reached(`exit ${status}`, status),
      () => reached(`eval 'exit ${status}'`, status),
      () => reached("set -e; (exit 6); echo never", "6", "(exit 6)"),
      () => (DRIVEN ? dropped : reached)("kill -TERM $$; echo never", "143"),
      () => dropped("kill -9 $BASHPID; echo never", "137"),
      () => dropped("kill -9 $$; echo never", "137"),
      () => dropped("exec true", "0"),
      () => dropped("exec sh -c 'exit 4'", "4"),
      () => {
        // docs/per-command.md: from inside of a function, bash cannot tell what the command did to these.
        if (!DRIVEN && UNSEEN_IN_A_FUNCTION.test(before)) return reached("exit 5", "5");
        return reached("__f() { exit 5; }; __f", "5", "__f() { exit 5; }");
      },
    ],
    random,
  )();
}

/** One command on one line, that ends neither the shell nor itself early. */
function line(random: Random): string {
  for (;;) {
    const text = command(random);
    if (!text.includes("\n") && text.trim() !== "" && !text.startsWith("#")) return text;
  }
}

/** A word of bash that expands to `text`. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
