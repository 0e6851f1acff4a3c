/** A terminal that a test plays: it says what it is set to, and keeps what is done to it. */
import type { TaskScreen } from "@pi-bash/contract";
import type { TaskTerminal, TerminalReaderFacts } from "@pi-bash/executor";

export const SCREEN: TaskScreen = { cols: 80, rows: 24, row: 3, col: 5, alternate: false, text: "text" };

/** What reads it: a program that is neither a shell nor an interpreter, by a number that no process has. */
export const READER: TerminalReaderFacts = { pid: 2 ** 30, name: "rm", isDenied: false };

type Facts = Partial<{ -readonly [Name in keyof TaskTerminal]: TaskTerminal[Name] }>;

/** A terminal, and what was done to it in its order. */
export interface PlayedTerminal {
  terminal: TaskTerminal;
  done: string[];
  /** Changes what it says, and notifies of it. */
  set(facts: Facts): void;
  /** How many listen to changes. */
  listeners(): number;
}

/** Makes one at which a program waits for a line. */
export function playedTerminal(facts: Facts = {}): PlayedTerminal {
  const done: string[] = [];
  const listeners = new Set<() => void>();
  let attending = 0;
  const terminal = {
    isOver: false,
    waiting: { kind: "line", program: "rm", since_ms: 1_200, prompt: "sure?", certain: true },
    reader: READER,
    prompt: 1,
    isDrawn: false,
    isApplicationCursor: false,
    holder: undefined,
    reportedPrompt: 0,
    screen: () => SCREEN,
    encodePaste: (text: string) => text,
    newLines: () => {
      throw new Error("not played");
    },
    placeNow: () => {
      throw new Error("not played");
    },
    write: (data: string) => void done.push(data),
    signal: (name: string) => void done.push(`signal ${name}`),
    resize: (cols: number, rows: number) => {
      done.push(`size ${cols}x${rows}`);
      return { cols, rows };
    },
    until: async () => "waiting",
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    attend: () => {
      attending += 1;
      return () => {
        attending -= 1;
      };
    },
    get isAttended() {
      return attending > 0;
    },
    take: () => {
      throw new Error("not played");
    },
    sendSecret: async () => false,
  } satisfies TaskTerminal as TaskTerminal;
  Object.assign(terminal, facts);
  return {
    terminal,
    done,
    set: (more) => {
      Object.assign(terminal, more);
      for (const listener of [...listeners]) listener();
    },
    listeners: () => listeners.size,
  };
}
