/**
 * A task's terminal as its users see it: what is on it, who waits, and the ways to type to it.
 *
 * Two may type: the model through its tool, and a person. Only one has the terminal at a time; the person takes it.
 */
import type { TaskScreen, TaskWaiting, TerminalProgram } from "@pi-bash/contract";
import type { LinePlace, NewLines } from "@pi-bash/terminal";

/** Why a wait for a terminal is over. */
export type TerminalNews = "waiting" | "screen" | "ended" | "held" | "deadline" | "stopped";

/** How long to wait for a terminal. */
export interface TerminalWait {
  /** Longest time, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends it early. */
  readonly stop?: AbortSignal | undefined;
}

/** Who has the terminal in front. */
export interface TerminalReaderFacts extends TerminalProgram {
  /** It may not be looked at: a set-uid program, or the system does not show what programs wait for. */
  readonly isDenied: boolean;
}

/** A person at a task's terminal. */
export interface PersonSeat {
  /** What draws the screen as it stands, for a terminal of the person's own. */
  redraw(): string;
  /** Types as a person. What is typed while it is not shown is masked wherever it comes back. */
  write(data: string): void;
  /** Changes the size, clamped to what terminals have. */
  resize(cols: number, rows: number): void;
  /** Gives the terminal back. Called again it does nothing. */
  handBack(): void;
}

/** What a person's window takes. */
export interface PersonView {
  /** Takes what the program writes, escape sequences and all. */
  onData?(chunk: string): void;
  /** The seat is gone: the task ended, or no key came for 10 minutes. */
  onEnd?(): void;
}

/** The terminal of a running task: what it shows, and ways to type into it, resize it and hand it to a person. */
export interface TaskTerminal {
  /** The program has ended, and everything that it wrote is on the screen. */
  readonly isOver: boolean;
  /** The program that waits for input. Undefined: none does, as far as is known. */
  readonly waiting: TaskWaiting | undefined;
  /** Who reads it. Undefined: not known, since something runs. */
  readonly reader: TerminalReaderFacts | undefined;
  /** Numbers the prompts: the same for as long as the same prompt stands. */
  readonly prompt: number;
  /** A full-screen program, or one that draws a menu. */
  readonly isDrawn: boolean;
  /** Arrow keys are sent in their application form. */
  readonly isApplicationCursor: boolean;
  /** Absent: the model may type. */
  readonly holder: "person" | undefined;
  /** What is on the screen, without secrets. */
  screen(): TaskScreen;
  /** Pasted text as the program asked for it. */
  encodePaste(text: string): string;
  /** Lines since a reader's place, without secrets. */
  newLines(place: LinePlace | undefined): NewLines;
  /** The place after all of them. */
  placeNow(before: LinePlace | undefined): LinePlace;
  /** Types bytes. Throws where it has ended. */
  write(data: string): void;
  /** Sends a signal to the foreground, `INT` for SIGINT. */
  signal(name: string): void;
  /** Changes the size, clamped; what it is then. */
  resize(cols: number, rows: number): { readonly cols: number; readonly rows: number };
  /** Resolves at the first of: a program waits, the drawn screen rests, the end, a person takes it, the time is over. */
  until(wait: TerminalWait): Promise<TerminalNews>;
  /** Calls `listener` when any of the above changes. Returns what ends that. */
  onChange(listener: () => void): () => void;
  /** A caller looks after it until the returned function is called: the owner need not be notified. */
  attend(): () => void;
  /** Whether a caller does. */
  readonly isAttended: boolean;
  /** The last prompt that its owner was given. */
  reportedPrompt: number;
  /** A person takes it from the model. Throws where another person has it, or it has ended. */
  take(view: PersonView): PersonSeat;
  /**
   * Types a secret line for a person, and Enter: once the program does not show what is typed, for which it has 2 s. Resolves to
   * whether it was typed; the line is neither logged nor kept but to mask it.
   */
  sendSecret(line: string): Promise<boolean>;
}
