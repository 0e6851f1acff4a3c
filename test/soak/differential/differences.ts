/**
 * Differences between a session and plain bash that are documented, each with its reason and with what is done to both
 * answers before they are compared.
 */

/** What stands before the answers of two steps are compared. */
export interface Documented {
  /** What differs, and why. */
  readonly reason: string;
  /** The answer without it. */
  readonly apply: (output: string, scene: Scene) => string;
}

/** What is known of a step when its answers are compared. */
export interface Scene {
  /** Plain bash ran another text in the step's place. */
  readonly isStoodFor: boolean;
  /** The answer is that of a copy. */
  readonly copy: boolean;
}

export const DOCUMENTED: readonly Documented[] = [
  {
    reason: "docs/per-command.md: bash repeats the first character of `PS4` for every `eval` around a command",
    apply: (output) => output.replaceAll(/(?:\+{2,}|>{2,}) /g, (signs) => `${signs.at(0)} `),
  },
  {
    reason:
      "the parts of a pipeline are traced in any order; docs/per-command.md: a copy begins without tracing; " +
      "and where plain bash runs another text than the session, it traces that",
    apply: (output, { copy, isStoodFor }) => {
      const text = isStoodFor ? output.replaceAll(/^[+>] eval '(?:[^']|'\\'')*'$/gm, "+ eval") : output;
      const lines = text.split("\n");
      const isTrace = (line: string) => /^[+>] /.test(line);
      const traces = copy || isStoodFor ? [] : lines.filter(isTrace).sort();
      return [...lines.filter((line) => !isTrace(line)), ...traces].join("\n");
    },
  },
  {
    reason: "docs/oracle.md holds line numbers and the word before them; here a step is some lines down in a script",
    apply: (output) =>
      output
        .replaceAll(/bash(?:: eval)?: line \d+: /g, "bash: line N: ")
        .replaceAll(/(?<=here-document at line )\d+/g, "N"),
  },
  {
    reason:
      "bash quotes the line that it cannot parse; where plain bash runs another text than the session, it quotes that",
    apply: (output, { isStoodFor }) => (isStoodFor ? output.replaceAll(/^(bash: line N: `).*'$/gm, "$1…'") : output),
  },
  {
    reason: "process ids differ by nature; tracing shows them",
    apply: (output) => output.replaceAll(/(?<=[+>] (?:kill -(?:USR[12]|9) |wait |p=))\d+/g, "PID"),
  },
];

/** What `judge` traced of its own frame. Only plain bash's answers have it, and not only where a line begins. */
export function withoutFrame(output: string): string {
  return output
    .replaceAll(/[+>]+ __ref_r \d+\n(?:[+>]+ return \d+\n)?(?:[+>]+ :\n)?/g, "")
    .replaceAll(/[+>]+ __ref_t=.*\n/g, "")
    .replace(/[+>]+ __ref_k=.*\n(?:[+>]+ exec\n)?/, "");
}
