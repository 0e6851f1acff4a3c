/**
 * Links that a command writes (OSC 8): which of them are kept, and when a person has to be shown where they lead.
 *
 * Only the web and files are linked to. A link whose text is an address says where it leads where that is another one:
 * what is clicked is what is read.
 */
import { headUnits } from "@pi-bash/contract/internal/text";
import type { Run, StyledLine } from "./styled.ts";

/** Longest link target, in UTF-16 units, and its schemes. */
const MAX_LINK_UNITS = 2_048;
const LINK = /^(?:https?|file):\/\/[\x21-\x7e]+$/i;

/** As much of a target as is spelled out, in UTF-16 units. */
const MAX_SPELLED_UNITS = 80;

/** A text that a person takes for an address. */
const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.|[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:[/:]|$))/i;

/** Whether a target is one that a person may be led to. */
export function isSafeTarget(target: string): boolean {
  return target.length <= MAX_LINK_UNITS && LINK.test(target);
}

/** The target as text, its beginning where it is long. */
export function spelledTarget(target: string): string {
  return ` (${headUnits(target, MAX_SPELLED_UNITS)}${target.length > MAX_SPELLED_UNITS ? "…" : ""})`;
}

/** The line with the target after each link whose text is another address. */
export function withTargets(line: StyledLine): StyledLine {
  if (!line.some(({ link }) => link !== undefined)) return line;
  const runs: Run[] = [];
  let text = "";
  for (const [at, run] of line.entries()) {
    runs.push(run);
    const { link } = run;
    if (link === undefined) continue;
    text += run.text;
    if (line[at + 1]?.link === link) continue;
    if (misleads(text.trim(), link)) runs.push({ text: spelledTarget(link), style: "" });
    text = "";
  }
  return runs;
}

/** `example.org/a` and `http://example.org/a` lead to `https://example.org/a/b` as they say; `example.com` does not. */
function misleads(text: string, link: string): boolean {
  if (!ADDRESS.test(text)) return false;
  const bare = (address: string): string => address.toLowerCase().replace(/^[a-z]+:\/\/(?:www\.)?|^www\./, "");
  const [shown, meant] = [bare(text).replace(/[….]+$/, ""), bare(link)];
  if (!meant.startsWith(shown)) return true;
  // `example.co` is no beginning of `example.com`: the name of the host has to be whole.
  return !/[/:?#]/.test(shown) && !/^(?:$|[/:?#])/.test(meant.slice(shown.length));
}
