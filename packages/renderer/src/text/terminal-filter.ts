/**
 * What a command writes, on its way to a person's terminal: colours and moves of the cursor pass, everything that
 * reaches beyond the text does not.
 *
 * Dropped are titles, clipboard writes (OSC 52), links, images and other strings, queries (a terminal types its answer,
 * and a shell would read it), modes but the cursor's visibility, resets, changes of character sets, repetitions, and C1
 * controls. Sequences may come in any number of pieces. For output that is drawn by us there is `styled.ts`.
 */
import { escapePattern } from "./escapes.ts";

/** Longest beginning of a sequence that is kept until its end comes, in UTF-16 units; no honest one is as long. */
const MAX_HELD_UNITS = 256;

/** The end of a text that may be the beginning of a sequence. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNFINISHED = /(?:\x1b(?:\[[0-?]*)?[ -/]*|\x9b[0-?]*[ -/]*)$/;
/** What ends a string that began in an earlier piece. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STRING_END = /[\x07\x18\x1a\x1b\x9c\n]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const STRING_START = /^(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const TERMINATED = /(?:\x07|\x1b\\|\x9c)$/;
/** Bell, backspace, tab, the line ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const HARMLESS_CONTROL = /^(?:[\x07-\r]|\r\n)$/;
/** Save and restore the cursor, a line down, up and to its start. */
const HARMLESS_ESCAPE = /^[78DEM]$/;
/** Moves, erasing, inserting, deleting, scrolling, tabs; colours. */
const HARMLESS_CSI = /^[@A-HJ-MPSTXZ`adefm]$/;

/** Takes text as it comes and gives what may be written. */
export class TerminalFilter {
  #held = "";
  #isInString = false;

  /** The harmless part of what was held and of `chunk`; the beginning of a sequence waits for its end. */
  push(chunk: string): string {
    let text = this.#held + chunk;
    this.#held = "";
    if (this.#isInString) {
      const end = text.search(STRING_END);
      if (end === -1) return "";
      this.#isInString = false;
      const isLineOrEscape = text[end] === "\n" || text[end] === "\x1b";
      text = text.slice(isLineOrEscape ? end : end + 1);
    }
    const [tail = ""] = UNFINISHED.exec(text.slice(-MAX_HELD_UNITS)) ?? [];
    this.#held = tail;
    const whole = text.slice(0, text.length - tail.length);
    return whole.replaceAll(escapePattern(), (...match) => this.#pass(match, whole.length));
  }

  #pass(match: readonly unknown[], end: number): string {
    const [token, parameters, final] = match as [string, string | undefined, string | undefined];
    if (STRING_START.test(token)) {
      const isAtEnd = Number(match[4]) + token.length === end;
      if (isAtEnd && !TERMINATED.test(token)) this.#isInString = true;
      return "";
    }
    if (final !== undefined) return isHarmlessCsi(token, parameters ?? "", final) ? token : "";
    if (token.startsWith("\x1b")) return HARMLESS_ESCAPE.test(token.slice(1)) ? token : "";
    return HARMLESS_CONTROL.test(token) ? token : "";
  }
}

function isHarmlessCsi(token: string, parameters: string, final: string): boolean {
  // As a single character the introducer is one of the controls that do not pass.
  if (!token.startsWith("\x1b[") || / [^ ]*$/.test(token)) return false;
  if (final === "h" || final === "l") return parameters === "?25";
  if (final === "s" || final === "u") return parameters === "";
  // The scrollback is the person's.
  if (final === "J" && parameters.includes("3")) return false;
  return HARMLESS_CSI.test(final) && /^[0-9;:]*$/.test(parameters);
}
