/**
 * The line that a person types: text, cursor, and the lines typed before. How it looks is `prompt-view.ts`.
 *
 * The cursor moves over what a person sees as one character, so that an emoji or a letter with marks is never cut.
 */
import type { ConsoleInput } from "@pi-bash/renderer/internal";
import { type History, MAX_HISTORY, NO_HISTORY } from "./history-file.ts";

/** Longest line, in UTF-16 units: what is longer is no command that a person typed or pasted on purpose. */
const MAX_LINE_UNITS = 256 * 1024;

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** Control characters but the line break and the tab: no one types them, and a paste could hide something with them. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

type Edit = (editor: LineEditor) => void;

/** Keys and what they do, by the names of `decodeInput`. */
const KEYS: Readonly<Record<string, Edit>> = {
  left: (editor) => editor.move(-1),
  "ctrl+b": (editor) => editor.move(-1),
  right: (editor) => editor.move(1),
  "ctrl+f": (editor) => editor.move(1),
  home: (editor) => editor.moveTo("start"),
  "key-1": (editor) => editor.moveTo("start"),
  "key-7": (editor) => editor.moveTo("start"),
  "ctrl+a": (editor) => editor.moveTo("start"),
  end: (editor) => editor.moveTo("end"),
  "key-4": (editor) => editor.moveTo("end"),
  "key-8": (editor) => editor.moveTo("end"),
  "ctrl+e": (editor) => editor.moveTo("end"),
  backspace: (editor) => editor.erase("character"),
  "key-3": (editor) => editor.eraseNext(),
  "ctrl+d": (editor) => editor.eraseNext(),
  "ctrl+u": (editor) => editor.erase("line"),
  "ctrl+w": (editor) => editor.erase("word"),
  "ctrl+k": (editor) => editor.eraseRest(),
  up: (editor) => editor.recall(-1),
  "ctrl+p": (editor) => editor.recall(-1),
  down: (editor) => editor.recall(1),
  "ctrl+n": (editor) => editor.recall(1),
  "ctrl+r": (editor) => editor.search(),
};

export class LineEditor {
  #before = "";
  #after = "";
  readonly #kept: History;
  #history: readonly string[];
  /** Place in the history; its length: the line that is being written. */
  #place: number;
  #draft = "";
  /** What was looked for last, and what was found. */
  #search: { readonly wanted: string; readonly found: string } | undefined;

  /** `history` has the lines of earlier sessions, and gets those of this one. */
  constructor(history: History = NO_HISTORY) {
    this.#kept = history;
    this.#history = history.lines;
    this.#place = history.lines.length;
  }

  /** The whole line; it may have line breaks. */
  get text(): string {
    return this.#before + this.#after;
  }

  /** The part in front of the cursor. */
  get beforeCursor(): string {
    return this.#before;
  }

  /** Takes a key or a paste. False: it means nothing here. */
  take(input: ConsoleInput): boolean {
    if (input.kind === "mouse") return false;
    if (input.kind === "paste") {
      this.insert(input.text.replaceAll(/\r\n?/g, "\n"));
      return true;
    }
    const edit = KEYS[input.name];
    if (edit === undefined && (input.name !== input.data || input.name.startsWith("\x1b"))) return false;
    if (edit === undefined) this.insert(input.data);
    else edit(this);
    return true;
  }

  /** Text at the cursor, without control characters. */
  insert(text: string): void {
    const room = Math.max(0, MAX_LINE_UNITS - this.text.length);
    this.#before += text.replaceAll(CONTROLS, "").slice(0, room);
  }

  /** The line, remembered and taken away. */
  submit(): string {
    const { text } = this;
    if (text.trim() !== "" && this.#history.at(-1) !== text) {
      this.#history = [...this.#history, text].slice(-MAX_HISTORY);
      this.#kept.add(text);
    }
    this.set("");
    return text;
  }

  /** Another line, with the cursor at its end; the place in the history is given up. */
  set(text: string): void {
    this.#place = this.#history.length;
    this.#write(text);
  }

  move(by: -1 | 1): void {
    const cluster = by < 0 ? lastCluster(this.#before) : firstCluster(this.#after);
    if (by < 0) this.#cut(this.#before.slice(0, this.#before.length - cluster.length));
    else this.#cut(this.#before + cluster);
  }

  moveTo(end: "start" | "end"): void {
    this.#cut(end === "start" ? "" : this.text);
  }

  erase(what: "character" | "word" | "line"): void {
    if (what === "character") {
      this.#before = this.#before.slice(0, this.#before.length - lastCluster(this.#before).length);
    } else {
      this.#before = what === "line" ? "" : this.#before.replace(/\S*\s*$/u, "");
    }
  }

  eraseNext(): void {
    this.#after = this.#after.slice(firstCluster(this.#after).length);
  }

  eraseRest(): void {
    this.#after = "";
  }

  /** An older or a newer line; the one that is being written comes back at the end. */
  recall(by: -1 | 1): void {
    const place = Math.min(Math.max(0, this.#place + by), this.#history.length);
    if (place === this.#place) return;
    if (this.#place === this.#history.length) this.#draft = this.text;
    this.#place = place;
    this.#write(this.#history[place] ?? this.#draft);
  }

  /** The newest older line that has in it what is typed; asked for again, the next older one. */
  search(): void {
    const { text } = this;
    const goesOn = this.#search?.found === text && this.#history[this.#place] === text;
    const wanted = goesOn ? (this.#search?.wanted ?? "") : text;
    let place = goesOn ? this.#place - 1 : this.#history.length - 1;
    // A line that is found once more tells nothing new.
    while (place >= 0 && (this.#history[place] === text || !this.#history[place]?.includes(wanted))) place -= 1;
    const found = this.#history[place];
    if (found === undefined) return;
    if (this.#place === this.#history.length) this.#draft = text;
    this.#place = place;
    this.#search = { wanted, found };
    this.#write(found);
  }

  #write(text: string): void {
    this.#before = text;
    this.#after = "";
  }

  #cut(before: string): void {
    const { text } = this;
    this.#before = before;
    this.#after = text.slice(before.length);
  }
}

function firstCluster(text: string): string {
  for (const { segment } of SEGMENTER.segment(text)) return segment;
  return "";
}

/** The last one; looked for in the end of a long text alone, where no cluster is longer than that. */
function lastCluster(text: string): string {
  let last = "";
  for (const { segment } of SEGMENTER.segment(text.slice(-128))) last = segment;
  return last;
}
