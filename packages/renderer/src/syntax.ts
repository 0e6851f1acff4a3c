/**
 * Colours a command line for the eye. It decides nothing: what a command does, `@pi-bash/command` says, and a wrong
 * guess here is a wrong colour.
 */
import { displayText } from "@pi-bash/contract";
import type { Run, StyledLine } from "./text/styled.ts";
import type { Colours, Role } from "./theme.ts";

const KEYWORDS = new Set(
  "if then else elif fi for while until do done case esac in function select time coproc ! [[ ]] { }".split(" "),
);

/** After these comes a name or a word, and no command. */
const NAMING = new Set(["for", "select", "case", "in", "function"]);

/** After these a command's name follows again. */
const OPENERS = new Set(["|", "||", "&&", ";", "&", "(", "|&", ";;", "$(", "`"]);

/*
 * Comment; strings; expansions; operators and redirections; words. Whatever is none of these is one character. Unfinished
 * strings (a command that is still being written) end at the end.
 */
const TOKEN =
  /(#[^\n]*)|('[^']*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|\$'(?:[^'\\]|\\[\s\S])*(?:'|$))|(\$\{[^}\n]*\}?|\$[A-Za-z_]\w*|\$[0-9?@*#$!-])|(\d*(?:<<<|<<-?|>>|[<>]&|&>>?|>\||[<>])|\|\||&&|;;|\|&|[|;&()]|\$\(|`)|([^\s#'"$<>|;&()`\\]|\\[\s\S])+|\s+|[\s\S]/gy;

/** Longest command that is coloured, in UTF-16 units. Patterns need room for what they match; no one reads that much. */
const MAX_COLOURED_UNITS = 64 * 1024;

/** The command in lines of coloured runs, as `displayText` has it: hidden characters are written out. */
export function highlight(given: string, colours: Colours): StyledLine[] {
  const lines: Run[][] = [[]];
  const command = displayText(given);
  if (command.length > MAX_COLOURED_UNITS) {
    addTo(lines, command, "");
    return lines;
  }
  let expectsCommand = true;
  let before = "\n";
  for (const match of command.matchAll(TOKEN)) {
    const [token, , , , operator, word] = match;
    const isAtStart = /\s$/.test(before) || OPENERS.has(before);
    const role = roleOf(match, isAtStart, expectsCommand);
    addTo(lines, token, role === undefined ? "" : colours[role]);
    before = token;
    expectsCommand = nextExpects(token, operator, word, expectsCommand);
  }
  return lines;
}

function addTo(lines: Run[][], token: string, style: string): void {
  for (const [index, part] of token.split("\n").entries()) {
    if (index > 0) lines.push([]);
    const text = part.replaceAll("\t", "    ");
    if (text !== "") lines.at(-1)?.push({ text, style });
  }
}

function roleOf(match: RegExpMatchArray, isAtStart: boolean, expectsCommand: boolean): Role | undefined {
  const [token, comment, string, variable, operator, word] = match;
  if (comment !== undefined) return isAtStart ? "comment" : undefined;
  if (string !== undefined) return "string";
  if (variable !== undefined) return "variable";
  if (operator !== undefined) return "operator";
  return word === undefined ? undefined : roleOfWord(token, expectsCommand);
}

function roleOfWord(word: string, expectsCommand: boolean): Role | undefined {
  if (expectsCommand) {
    if (KEYWORDS.has(word)) return "keyword";
    return /^[A-Za-z_]\w*\+?=/.test(word) ? "variable" : "command";
  }
  return word.startsWith("-") ? "option" : undefined;
}

function nextExpects(token: string, operator: string | undefined, word: string | undefined, expects: boolean): boolean {
  if (operator !== undefined) return OPENERS.has(token);
  if (token.includes("\n")) return true;
  if (word === undefined) return expects && token.trim() === "";
  if (NAMING.has(token)) return false;
  return expects && (KEYWORDS.has(word) || KEYWORDS.has(token) || /^[A-Za-z_]\w*\+?=/.test(token));
}
