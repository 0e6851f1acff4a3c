/**
 * Whether text in one colour can be read on another. Only what cannot be distinguished counts: a poor choice is a command's
 * own affair, a text that is not there is a trick.
 */

type Rgb = readonly [red: number, green: number, blue: number];

/** Two colours are distinguished where one part differs by so much of 255. */
const LEAST_DIFFERENCE = 24;

/** Steps of the colour cube that terminals have from 16 to 231 (XTerm, "256colres"). */
const CUBE = [0, 95, 135, 175, 215, 255];

/** The sixteen first colours as XTerm has them; a person's palette differs, but two that are the same stay the same. */
const FIRST: readonly Rgb[] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

/** Whether parameters of a foreground and of a background (`31`, `48;5;1`, `48;2;205;0;0`) are one colour to the eye. */
export function isSameColour(foreground: string, background: string): boolean {
  const [front, ground] = [rgbOf(foreground), rgbOf(background)];
  if (front === undefined || ground === undefined) return false;
  return front.every((part, at) => Math.abs(part - (ground[at] ?? 0)) < LEAST_DIFFERENCE);
}

/** Undefined: the terminal's own. */
function rgbOf(parameters: string): Rgb | undefined {
  if (parameters === "") return undefined;
  const [first = 0, kind, ...rest] = parameters.split(";").map(Number);
  if (kind === 2) return [rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0];
  if (kind === 5) return ofPalette(rest[0] ?? 0);
  return FIRST[first >= 90 ? 8 + (first % 10) : first % 10];
}

function ofPalette(index: number): Rgb | undefined {
  if (index < 16) return FIRST[index];
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  return [CUBE[Math.floor(cube / 36)] ?? 0, CUBE[Math.floor(cube / 6) % 6] ?? 0, CUBE[cube % 6] ?? 0];
}
