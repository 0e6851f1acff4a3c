/**
 * Characters that make a command line look like something else: control characters, invisible and bidirectional ones.
 *
 * A person approves what is shown, so such a line is never approved by itself. How it is shown is `displayText` of the
 * contract.
 */
import type { CommandAnalysis } from "@pi-bash/command";
import { displayText } from "@pi-bash/contract";
import type { Finding } from "./finding.ts";

// Controls, bidirectional controls, separators of lines and tags reorder or hide text wherever they stand.
const ANYWHERE = /(?![\t\n])\p{Cc}|[\p{Bidi_Control}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}]/u;
// Blanks that are none for bash, and characters without a picture: harmless inside quotes, where emoji have joiners.
const BARE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\u2800]|(?! )\p{Zs}/u;

/** Findings for characters that no honest command line needs. */
export function suspiciousText(command: string, analysis: CommandAnalysis): Finding[] {
  const findings: Finding[] = [];
  const control = ANYWHERE.exec(command);
  if (control !== null) findings.push(suspicious(control[0], control.index));
  for (const { quoted, text, span } of analysis.commands.flatMap((each) => each.argv)) {
    const [char] = (quoted ? null : BARE.exec(text)) ?? [];
    if (char === undefined) continue;
    findings.push(suspicious(char, span.start));
    break;
  }
  return findings;
}

/** Writes hidden characters as `\u{…}` and counts what pushes text out of sight, so that a person sees what is there. */
export const escapeForDisplay: (command: string) => string = displayText;

function suspicious(char: string, start: number): Finding {
  const code = (char.codePointAt(0) ?? 0).toString(16).padStart(4, "0");
  const message = `the character U+${code.toUpperCase()} hides or reorders text`;
  return { code: "suspicious-character", severity: "unknown", message, span: { start, end: start + char.length } };
}
