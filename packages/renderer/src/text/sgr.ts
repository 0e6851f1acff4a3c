/**
 * Colours and attributes: what "Select Graphic Rendition" (ECMA-48 8.3.117, `CSI … m`) leaves on.
 *
 * A style is a string of parameters such as `1;31`, empty for none, so that two can be compared and one can be written
 * without looking at the one before. Concealed text (8) is shown, so is text in the colour of its ground, and blinking
 * text (5, 6) stands still: a command may colour what a person reads, and neither hide it nor shout.
 */
import { isSameColour } from "./colour.ts";

/** Parameters that turn an attribute on, with the one that turns it off. */
const ATTRIBUTES = new Map([
  [1, 22],
  [2, 22],
  [3, 23],
  [4, 24],
  [7, 27],
  [9, 29],
]);

/** What is on. */
export class SgrState {
  readonly #attributes = new Set<number>();
  #foreground = "";
  #background = "";

  /** Takes the parameters of one sequence, e.g. `1;38;5;208`; sub-parameters with colons count as such. */
  apply(parameters: string): void {
    const values = parameters.split(/[;:]/).map((value) => (value === "" ? 0 : Number(value)));
    for (let at = 0; at < values.length; at += 1) {
      const value = values[at] ?? 0;
      if (value === 38 || value === 48) at += this.#extended(value, values.slice(at + 1));
      else this.#single(value);
    }
  }

  /** The parameters that make this state from nothing. */
  toString(): string {
    const attributes = [...this.#attributes].sort((a, b) => a - b).map(String);
    const colours = isSameColour(this.#foreground, this.#background) ? [] : [this.#foreground, this.#background];
    return [...attributes, ...colours].filter((part) => part !== "").join(";");
  }

  #single(value: number): void {
    if (value === 0) this.#reset();
    else if (ATTRIBUTES.has(value)) this.#attributes.add(value);
    else if (isBetween(value, 22, 29)) this.#off(value);
    else if (isBetween(value, 30, 37) || isBetween(value, 90, 97)) this.#foreground = String(value);
    else if (isBetween(value, 40, 47) || isBetween(value, 100, 107)) this.#background = String(value);
    else if (value === 39) this.#foreground = "";
    else if (value === 49) this.#background = "";
  }

  /** `38;5;n` and `38;2;r;g;b`. Returns how many values it took. */
  #extended(which: number, rest: readonly number[]): number {
    const taken = rest[0] === 5 ? 2 : rest[0] === 2 ? 4 : 1;
    const colours = rest.slice(1, taken);
    const isColour = colours.length === taken - 1 && colours.every((value) => isBetween(value, 0, 255));
    if (taken > 1 && isColour) {
      const text = [which, ...rest.slice(0, taken)].join(";");
      if (which === 38) this.#foreground = text;
      else this.#background = text;
    }
    return taken;
  }

  #off(value: number): void {
    for (const [on, off] of ATTRIBUTES) if (off === value) this.#attributes.delete(on);
  }

  #reset(): void {
    this.#attributes.clear();
    this.#foreground = "";
    this.#background = "";
  }
}

function isBetween(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
