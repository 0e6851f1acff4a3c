/**
 * Keys on their way to a program: what a person's terminal sends, in the form that the program's own terminal would send.
 *
 * The person's terminal may speak the Kitty keyboard protocol (sw.kovidgoyal.net/kitty/keyboard-protocol), the program's
 * terminal is a plain xterm: key codes become characters and the classic sequences (XTerm Control Sequences, "PC-Style
 * Function Keys"), releases are dropped, and arrows follow the mode that the program asked for.
 */

/** One thing that a person did. */
export type ConsoleInput =
  | { readonly kind: "key"; readonly data: string; readonly name: string }
  | { readonly kind: "paste"; readonly text: string }
  | {
      readonly kind: "mouse";
      readonly button: number;
      readonly column: number;
      readonly row: number;
      readonly isRelease: boolean;
    };

/** What the program's terminal is set to. */
export interface KeyMode {
  /** Arrows, Home and End as `ESC O x`. */
  readonly applicationCursor: boolean;
}

/** Kept apart: a control character in a pattern is what this file is about, and a mistake elsewhere. */
const ESC = "\x1b";
const PASTE = new RegExp(`^${ESC}\\[200~([^]*?)(?:${ESC}\\[201~|$)`);
const MOUSE = new RegExp(`^${ESC}\\[<(\\d+);(\\d+);(\\d+)([Mm])`);
const CSI = new RegExp(`^${ESC}\\[([0-9:;]*)([A-Za-z~])`);
const SS3 = new RegExp(`^${ESC}O([A-Za-z])`);

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
/** Shift, Alt, Ctrl and Meta; what is above them are lock keys. */
const LEGACY_MODIFIERS = 0x2f;

/** Kitty's numbers for keys of the key pad, and what they type (keyboard protocol, "Functional key definitions"). */
const KEYPAD: Readonly<Record<number, string>> = {
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [57_399 + digit, String(digit)])),
  57409: ".",
  57410: "/",
  57411: "*",
  57412: "-",
  57413: "+",
  57414: "\r",
  57415: "=",
};

/** The same for those that move the cursor, as the last character of their sequence. */
const KEYPAD_CURSOR: Readonly<Record<number, string>> = {
  57417: "D",
  57418: "C",
  57419: "A",
  57420: "B",
  57423: "H",
  57424: "F",
};

/** Splits what a terminal sent into what a person did. A sequence that is not known is dropped. */
export function decodeInput(data: string, mode: KeyMode): ConsoleInput[] {
  const found: ConsoleInput[] = [];
  for (let rest = data; rest !== ""; ) {
    const [input, length] = next(rest, mode);
    if (input !== undefined) found.push(input);
    rest = rest.slice(Math.max(1, length));
  }
  return found;
}

function next(rest: string, mode: KeyMode): [ConsoleInput | undefined, number] {
  if (!rest.startsWith("\x1b")) return character(rest);
  const paste = PASTE.exec(rest);
  if (paste) return [{ kind: "paste", text: paste[1] ?? "" }, paste[0].length];
  const mouse = MOUSE.exec(rest);
  if (mouse) {
    const [whole, button, column, row, end] = mouse;
    return [
      { kind: "mouse", button: Number(button), column: Number(column), row: Number(row), isRelease: end === "m" },
      whole.length,
    ];
  }
  const csi = CSI.exec(rest);
  if (csi) return [fromCsi(csi[1] ?? "", csi[2] ?? "", mode), csi[0].length];
  const ss3 = SS3.exec(rest);
  if (ss3) return [cursorOrFunction(ss3[1] ?? "", 0, mode), ss3[0].length];
  if (rest === "\x1b" || rest.startsWith("\x1b\x1b")) return [key("\x1b", "escape"), 1];
  const [typed, length] = character(rest.slice(1));
  if (typed?.kind !== "key") return [key("\x1b", "escape"), 1];
  return [key(`\x1b${typed.data}`, `alt+${typed.name}`), length + 1];
}

function key(data: string, name: string): ConsoleInput {
  return { kind: "key", data, name };
}

function character(rest: string): [ConsoleInput, number] {
  const text = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  return [key(text, nameOf(text)), text.length];
}

function nameOf(text: string): string {
  const code = text.codePointAt(0) ?? 0;
  if (text === "\r" || text === "\n") return "enter";
  if (text === "\t") return "tab";
  if (text === "\x7f" || text === "\b") return "backspace";
  if (code === 0) return "ctrl+space";
  if (code < 27) return `ctrl+${String.fromCharCode(code + 96)}`;
  if (code < 32) return `ctrl+${String.fromCharCode(code + 64)}`;
  return text;
}

/** `CSI number ; modifiers : event letter`, in all its forms. */
function fromCsi(parameters: string, final: string, mode: KeyMode): ConsoleInput | undefined {
  const [first = "", second = "", third = ""] = parameters.split(";");
  const [modifiers = "", event = ""] = second.split(":");
  if (event === "3") return undefined; // The key was released.
  const held = (Math.max(1, Number(modifiers) || 1) - 1) & LEGACY_MODIFIERS;
  if (final === "u") return fromKitty(first, held, third);
  if (final === "~") return key(`\x1b[${first.split(":")[0]}${held === 0 ? "" : `;${held + 1}`}~`, `key-${first}`);
  return cursorOrFunction(final, held, mode);
}

/** Arrows (A to D), End, Home (F, H), F1 to F4 (P to S), back tab (Z). */
function cursorOrFunction(final: string, held: number, mode: KeyMode): ConsoleInput | undefined {
  if (final === "Z") return key("\x1b[Z", "shift+tab");
  if (!/^[A-DFHP-S]$/.test(final)) return undefined;
  const name =
    { A: "up", B: "down", C: "right", D: "left", F: "end", H: "home" }[final] ?? `f${final.charCodeAt(0) - 79}`;
  if (held !== 0) return key(`\x1b[1;${held + 1}${final}`, `${modifierText(held)}${name}`);
  const isSs3 = /[P-S]/.test(final) || mode.applicationCursor;
  return key(`${isSs3 ? "\x1bO" : "\x1b["}${final}`, name);
}

/** `CSI code : shifted : base ; modifiers ; text u` */
function fromKitty(codes: string, held: number, text: string): ConsoleInput | undefined {
  const [code = 0, shifted = 0] = codes.split(":").map(Number);
  const cursor = KEYPAD_CURSOR[code];
  if (cursor !== undefined) return cursorOrFunction(cursor, held, { applicationCursor: false });
  if (code >= 57_344 && code <= 63_743 && KEYPAD[code] === undefined) return undefined; // Modifiers, media keys.
  if (code > 0x10_ffff || Number.isNaN(code)) return undefined;
  const typed =
    text === ""
      ? typedBy(code, shifted, held)
      : String.fromCodePoint(...text.split(":").map(Number).filter(isCharacter));
  const control = (held & CTRL) === 0 ? typed : controlled(code, typed);
  const data = (held & ALT) === 0 ? control : `\x1b${control}`;
  return key(data, `${(held & ALT) === 0 ? "" : "alt+"}${code === 27 ? "escape" : nameOf(control)}`);
}

function typedBy(code: number, shifted: number, held: number): string {
  const keypad = KEYPAD[code];
  if (keypad !== undefined) return keypad;
  if (code === 9 && (held & SHIFT) !== 0) return "\x1b[Z";
  if ((held & SHIFT) === 0) return String.fromCodePoint(code);
  return shifted > 0 && isCharacter(shifted) ? String.fromCodePoint(shifted) : String.fromCodePoint(code).toUpperCase();
}

function isCharacter(code: number): boolean {
  return Number.isInteger(code) && code >= 32 && code <= 0x10_ffff && code !== 127;
}

/** What Ctrl makes of a key: the control characters of ASCII; other keys are themselves. */
function controlled(code: number, typed: string): string {
  if (code === 32 || code === 50) return "\0";
  if (code === 127) return "\b";
  const upper = String.fromCodePoint(code).toUpperCase().charCodeAt(0);
  return upper >= 64 && upper <= 95 ? String.fromCharCode(upper & 31) : typed;
}

function modifierText(held: number): string {
  return `${(held & CTRL) === 0 ? "" : "ctrl+"}${(held & ALT) === 0 ? "" : "alt+"}${(held & SHIFT) === 0 ? "" : "shift+"}`;
}
