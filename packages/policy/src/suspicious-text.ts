/**
 * Characters that make a command line look like something else: control characters, invisible and bidirectional ones.
 *
 * A person approves what is shown, so such a line is never approved by itself and is shown escaped.
 */
import type { CommandAnalysis } from "@pi-bash/command";
import type { Finding } from "./finding.ts";

// Bidirectional controls and tags reorder or hide text wherever they stand.
const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]|[\u{e0000}-\u{e007f}]/u;
// Blanks that are none for bash, and characters without width: harmless inside quotes.
const INVISIBLE = /[\u00a0\u1680\u180e\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Findings for characters that no honest command line needs. */
export function suspiciousText(command: string, analysis: CommandAnalysis): Finding[] {
  const findings: Finding[] = [];
  const control = CONTROL.exec(command) ?? REORDERING.exec(command);
  if (control !== null) findings.push(suspicious(control[0], control.index));
  const bare = analysis.commands.flatMap((each) => each.argv).find((word) => !word.quoted && INVISIBLE.test(word.text));
  if (bare !== undefined) findings.push(suspicious(INVISIBLE.exec(bare.text)?.[0] ?? "", bare.span.start));
  return findings;
}

/** Writes control, invisible and bidirectional characters as `\u{…}`, so that a person sees what is there. */
export function escapeForDisplay(command: string): string {
  if (!CONTROL.test(command) && !REORDERING.test(command) && !INVISIBLE.test(command)) return command;
  return [...command]
    .map((char) => {
      const hidden = CONTROL.test(char) || REORDERING.test(char) || INVISIBLE.test(char);
      return hidden ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char;
    })
    .join("");
}

function suspicious(char: string, start: number): Finding {
  const code = (char.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  const message = `the character U+${code.toUpperCase()} hides or reorders text`;
  return { code: "suspicious-character", severity: "unknown", message, span: { start, end: start + char.length } };
}
