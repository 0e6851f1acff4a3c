/**
 * Keys by their names, and the bytes that a terminal sends for them (xterm's, as `TERM=xterm-256color` promises).
 *
 * Names are those on a keyboard; the ways in which models and programs otherwise write them (`ESC`, `^C`, `C-c`, `CTRL_C`) are
 * understood, and nothing else: a key that was misspelt must not become text.
 */
import { shortLine } from "@pi-bash/contract/internal";
import { ToolError } from "../tool-error.ts";

/** A key that is pressed. */
export interface Key {
  /** Its name as it is listed, with modifiers before it: `Ctrl-C`, `PageUp`. */
  readonly name: string;
  /** What is sent; of arrows, Home and End the form for the keypad's ordinary mode. */
  readonly bytes: string;
  /** The same in application mode, where that differs. */
  readonly applicationBytes?: string;
}

const ESC = "\u001b";

/** Keys that end in a letter: `ESC [ A`, `ESC O A` in application mode, `ESC [ 1 ; 5 A` with modifiers. */
const LETTERED: Readonly<Record<string, string>> = { Up: "A", Down: "B", Right: "C", Left: "D", Home: "H", End: "F" };

/** Keys that end in a tilde: `ESC [ 5 ~`, `ESC [ 5 ; 2 ~` with modifiers. */
const NUMBERED: Readonly<Record<string, number>> = {
  Insert: 2,
  Delete: 3,
  PageUp: 5,
  PageDown: 6,
  F5: 15,
  F6: 17,
  F7: 18,
  F8: 19,
  F9: 20,
  F10: 21,
  F11: 23,
  F12: 24,
};

/** F1 to F4: `ESC O P`. */
const FUNCTION: Readonly<Record<string, string>> = { F1: "P", F2: "Q", F3: "R", F4: "S" };

/** Keys that are one character. */
const PLAIN: Readonly<Record<string, string>> = {
  Enter: "\r",
  Tab: "\t",
  Escape: ESC,
  Backspace: "\u007f",
  Space: " ",
};

/** Other names, in lower case. */
const SYNONYMS: Readonly<Record<string, string>> = {
  esc: "Escape",
  cr: "Enter",
  return: "Enter",
  lf: "Enter",
  newline: "Enter",
  bs: "Backspace",
  del: "Delete",
  ins: "Insert",
  spc: "Space",
  pgup: "PageUp",
  pgdn: "PageDown",
  pgdown: "PageDown",
  arrowup: "Up",
  arrowdown: "Down",
  arrowleft: "Left",
  arrowright: "Right",
};

const NAMES = [
  ...Object.keys(PLAIN),
  ...Object.keys(LETTERED),
  ...Object.keys(NUMBERED).filter((name) => !name.startsWith("F")),
];
const ALL = new Map(
  [...NAMES, ...Object.keys(FUNCTION), ...Object.keys(NUMBERED)].map((name) => [name.toLowerCase(), name] as const),
);

/** What modifiers are called, in lower case. */
const MODIFIERS: Readonly<Record<string, keyof Modifiers>> = {
  ctrl: "ctrl",
  control: "ctrl",
  c: "ctrl",
  alt: "alt",
  meta: "alt",
  option: "alt",
  m: "alt",
  a: "alt",
  shift: "shift",
  s: "shift",
};

interface Modifiers {
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}

/** A key by its name. Throws `ToolError` for one that there is not. */
export function parseKey(given: string): Key {
  const key = keyOf(given.trim());
  if (key !== undefined) return key;
  const listed = `${NAMES.join(", ")}, F1 to F12; with Ctrl-, Alt-, Shift- before it; Ctrl- or Alt- and one character`;
  throw new ToolError(`Unknown key ${JSON.stringify(shortLine(given))}. Keys: ${listed}.`);
}

function keyOf(given: string): Key | undefined {
  const caret = /^\^(.)$/u.exec(given);
  if (caret?.[1] !== undefined) return withModifiers(caret[1], { ctrl: true, alt: false, shift: false });
  const parts = splitModifiers(given);
  return parts === undefined ? undefined : withModifiers(parts.base, parts.modifiers);
}

/** `Ctrl-Shift-Up`, `CTRL_C`, `ctrl+c`: the last part is the key, which may be the separator itself. */
function splitModifiers(given: string): { base: string; modifiers: Modifiers } | undefined {
  const modifiers: Modifiers = { ctrl: false, alt: false, shift: false };
  let rest = given;
  for (;;) {
    const found = /^([a-z]+)[-_+](.+)$/iu.exec(rest);
    if (found === null) return { base: rest, modifiers };
    const [, word = "", base = ""] = found;
    const modifier = MODIFIERS[word.toLowerCase()];
    // `Page-Up` is written so, too.
    if (modifier === undefined) return { base: `${word}${base}`, modifiers };
    if (modifiers[modifier]) return undefined;
    modifiers[modifier] = true;
    rest = base;
  }
}

function withModifiers(base: string, modifiers: Modifiers): Key | undefined {
  const lower = base.toLowerCase();
  const name = ALL.get(SYNONYMS[lower]?.toLowerCase() ?? lower);
  if (name !== undefined) return named(name, modifiers);
  return [...base].length === 1 ? character(base, modifiers) : undefined;
}

function named(name: string, modifiers: Modifiers): Key | undefined {
  const shown = `${prefixOf(modifiers)}${name}`;
  const plain = PLAIN[name];
  if (plain !== undefined) return plainKey(shown, name, plain, modifiers);
  const number = 1 + (modifiers.shift ? 1 : 0) + (modifiers.alt ? 2 : 0) + (modifiers.ctrl ? 4 : 0);
  const letter = LETTERED[name];
  if (letter !== undefined) {
    if (number > 1) return { name: shown, bytes: `${ESC}[1;${number}${letter}` };
    return { name: shown, bytes: `${ESC}[${letter}`, applicationBytes: `${ESC}O${letter}` };
  }
  const final = FUNCTION[name];
  if (final !== undefined) return { name: shown, bytes: number > 1 ? `${ESC}[1;${number}${final}` : `${ESC}O${final}` };
  const code = NUMBERED[name];
  return { name: shown, bytes: `${ESC}[${code}${number > 1 ? `;${number}` : ""}~` };
}

/** Enter, Tab, Escape, Backspace and Space: a terminal has few of their combinations. */
function plainKey(shown: string, name: string, plain: string, { ctrl, alt, shift }: Modifiers): Key | undefined {
  const before = alt ? ESC : "";
  if (ctrl && name === "Space") return { name: shown, bytes: `${before}\u0000` };
  if (ctrl && name === "Backspace") return { name: shown, bytes: `${before}\b` };
  if (shift && name === "Tab") return { name: shown, bytes: `${before}${ESC}[Z` };
  // No terminal tells these from the key alone.
  if (ctrl || shift) return undefined;
  return { name: shown, bytes: `${before}${plain}` };
}

/** `Ctrl-` or `Alt-` and a character; a character alone is text. */
function character(base: string, { ctrl, alt, shift }: Modifiers): Key | undefined {
  if (!ctrl && !alt) return undefined;
  const before = alt ? ESC : "";
  if (!ctrl) {
    const typed = shift ? base.toUpperCase() : base;
    return { name: `Alt-${typed}`, bytes: `${before}${typed}` };
  }
  const upper = base.toUpperCase();
  const code = upper === "?" ? 0x7f : upper.charCodeAt(0) & 0x1f;
  if (!/^[A-Z@[\\\]^_?]$/u.test(upper)) return undefined;
  return { name: `${alt ? "Alt-" : ""}Ctrl-${upper}`, bytes: `${before}${String.fromCharCode(code)}` };
}

function prefixOf({ ctrl, alt, shift }: Modifiers): string {
  return `${ctrl ? "Ctrl-" : ""}${alt ? "Alt-" : ""}${shift ? "Shift-" : ""}`;
}
