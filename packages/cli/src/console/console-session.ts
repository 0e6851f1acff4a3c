/**
 * A session at the terminal: what keys do, what runs, and what the live area shows of it.
 *
 * # Theory of operation
 * One thing runs at a time: a call, a command of the person, or following a job. Its block is in the live area until it
 * has ended and is printed then. Keys go to whoever has the person's attention: a program on the whole screen, a question
 * of the policy, or the prompt. The live area is drawn about 30 times a second at most, and at once for a key. Who the session is made of is
 * `../commands/console.ts`.
 */
import type { TaskWaiting } from "@pi-bash/contract";
import type { ConsoleControls, ConsoleView, JobDelivery } from "@pi-bash/executor";
import type { Theme } from "@pi-bash/renderer";
import { type ConsoleInput, clip, decodeInput, visible } from "@pi-bash/renderer/internal";
import { ApprovalPrompt } from "./approval-prompt.ts";
import { type Block, type Room, textRows } from "./blocks.ts";
import { type Entered, HELP, type OtherTool, readLine } from "./entered-line.ts";
import type { History } from "./history-file.ts";
import type { JobsPane } from "./jobs-pane.ts";
import { LineEditor } from "./line-editor.ts";
import { ProgramWindow } from "./program-window.ts";
import { promptRows } from "./prompt-view.ts";
import type { Screen } from "./screen.ts";
import { taskWindow } from "./task-window.ts";

/** Least time between two drawings, in milliseconds: 30 a second, also where timers are late. */
const FRAME_MS = 30;
/** Rows below what runs: a note, the hints. */
const HINT_ROWS = 2;
/** Most rows of the prompt, as a part of the screen's. */
const PROMPT_SHARE = 1 / 3;

/** Something under way. */
export interface Work {
  /** Its rows while it goes on. */
  readonly live: Block;
  /** Whether these rows are printed when it is over. */
  readonly isKept: boolean;
  run(signal: AbortSignal): Promise<void>;
}

/** What the session is made of. */
export interface SessionPorts {
  readonly screen: Screen;
  readonly theme: Theme;
  /** Whether Esc is for a program that has the screen; ctrl+] ends it then. */
  readonly escapeToProgram: boolean;
  /** Where the next command runs. */
  cwd(): string;
  userCommand(command: string, isExcluded: boolean, changed: () => void): Work;
  toolCall(params: Readonly<Record<string, unknown>>, changed: () => void): Work;
  otherCall(tool: OtherTool, params: Readonly<Record<string, unknown>>, changed: () => void): Work;
  readonly jobs: JobsPane;
  /** Lines of earlier sessions, and where those of this one go. */
  readonly history: History;
}

export class ConsoleSession {
  /** Asks the person; for the session's tools. */
  readonly approvals: ApprovalPrompt;
  /** Resolves when the person leaves; rejects with a defect. */
  readonly over: Promise<void>;
  readonly #ports: SessionPorts;
  readonly #editor: LineEditor;
  #window: ProgramWindow | undefined;
  #work: { readonly work: Work; readonly controller: AbortController; readonly ended: Promise<void> } | undefined;
  #last: Block | undefined;
  #note = "";
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #isOver = false;
  #leave: () => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
    this.#editor = new LineEditor(ports.history);
    this.over = new Promise((resolve, reject) => {
      this.#leave = resolve;
      this.#fail = reject;
    });
    this.approvals = new ApprovalPrompt({
      ask: (text) => this.#say(text),
      tell: (text) => this.#say(text, "dim"),
      changed: () => this.#changed(),
    });
  }

  /** Shows the prompt. */
  begin(): void {
    this.#say("pi-bash console: a line calls the bash tool; `!command` is yours; try `/help`", "dim");
    this.#draw();
  }

  /** Takes what the terminal sent. */
  take(keys: string): void {
    if (this.#window !== undefined) {
      this.#window.take(keys);
      return;
    }
    for (const input of decodeInput(keys, { applicationCursor: false })) {
      if (this.#isOver) return;
      if (this.approvals.keys === undefined) this.#handle(input);
      else this.approvals.take(input);
    }
    this.#draw();
  }

  /** Results of jobs that ended. */
  tellJobs(batch: readonly JobDelivery[]): void {
    for (const { text } of batch) this.#say(text);
  }

  /** A task waits for input. */
  tellWaiting(id: string, { kind, program, prompt }: TaskWaiting): void {
    const asked = prompt === undefined ? "" : `: "${prompt}"`;
    const what = kind === "secret" ? "a secret" : "input";
    this.#say(`${id}: \`${program}\` waits for ${what}${asked}; /attach ${id} takes its terminal`, "warning");
  }

  /** Opens the window of a program. */
  openWindow(controls: ConsoleControls): ConsoleView {
    return this.#openWindow(controls, false);
  }

  #openWindow(controls: ConsoleControls, isTask: boolean): ConsoleView {
    const closed = () => {
      this.#window = undefined;
      this.#changed();
    };
    const { screen, theme } = this.#ports;
    // A task is handed back by ctrl+] whatever ends a program: Esc may be a key of its own.
    const escapeToProgram = isTask || this.#ports.escapeToProgram;
    const window = new ProgramWindow(controls, { screen, theme, escapeToProgram, isTask, closed });
    this.#window = window;
    return window.view;
  }

  /** The terminal has another size. */
  resized(): void {
    this.#ports.screen.resized();
    if (this.#window === undefined) this.#draw();
    else this.#window.resized();
  }

  /** The person leaves, or is gone. */
  leave(): void {
    this.#leave();
  }

  /** Takes no more keys, ends what runs, and resolves when it has ended. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#note = "ending what runs";
    this.#changed();
    const ended = this.#work?.ended;
    this.#work?.controller.abort();
    await ended;
    clearTimeout(this.#timer);
  }

  #handle(input: ConsoleInput): void {
    this.#note = "";
    const name = input.kind === "key" ? input.name : "";
    if (name === "enter") this.#enter();
    else if (name === "alt+enter") this.#editor.insert("\n");
    else if (name === "ctrl+o") this.#toggle();
    else if (name === "escape" || name === "ctrl+c") this.#cancel(name);
    else if (name === "ctrl+d" && this.#editor.text === "") this.#leave();
    else this.#editor.take(input);
  }

  #enter(): void {
    const entered = readLine(this.#editor.text);
    const isWork = entered.kind === "user" || entered.kind === "tool" || entered.kind === "attach";
    if (isWork && this.#work !== undefined) {
      this.#note = "one thing at a time: the line waits, esc ends what runs";
      return;
    }
    const line = this.#editor.submit();
    if (entered.kind !== "nothing" && entered.kind !== "user" && entered.kind !== "tool") this.#say(`› ${line}`, "dim");
    this.#follow(entered);
  }

  #follow(entered: Entered): void {
    const { jobs } = this.#ports;
    const changed = () => this.#changed();
    switch (entered.kind) {
      case "nothing":
        break;
      case "user":
        this.#start(this.#ports.userCommand(entered.command, entered.isExcluded, changed));
        break;
      case "tool":
        this.#start(
          entered.tool === undefined
            ? this.#ports.toolCall(entered.params, changed)
            : this.#ports.otherCall(entered.tool, entered.params, changed),
        );
        break;
      case "attach":
        this.#start(this.#attach(entered.id));
        break;
      case "jobs":
        this.#say(jobs.list());
        break;
      case "kill":
        jobs.kill(entered.id).then((text) => this.#say(text), this.#fail);
        break;
      case "help":
        this.#say(HELP);
        break;
      case "problem":
        this.#say(entered.message, "warning");
        break;
      case "quit":
        this.#leave();
        break;
    }
  }

  /** A task's terminal is the person's; of another job its output is followed. */
  #attach(id: string): Work {
    const { jobs, theme } = this.#ports;
    const say = (text: string): void => this.#say(text);
    const terminal = jobs.terminal(id);
    if (terminal === undefined) return jobs.attach(id, say);
    return taskWindow({ id, terminal, theme, open: (controls) => this.#openWindow(controls, true), say });
  }

  #start(work: Work): void {
    const controller = new AbortController();
    const ended = this.#perform(work, controller.signal).catch(this.#fail);
    this.#work = { work, controller, ended };
  }

  async #perform(work: Work, signal: AbortSignal): Promise<void> {
    // The next turn: `#work` is set by then, however soon this is over.
    await Promise.resolve();
    try {
      await work.run(signal);
    } finally {
      // A program that could not be started has given its window nothing.
      this.#window?.close({ cancelled: true, timedOut: false });
      this.#work = undefined;
      if (!this.#isOver) this.#note = "";
      if (work.isKept) {
        this.#last = work.live;
        this.#ports.screen.print(work.live.render(this.#room()));
      }
      this.#draw();
    }
  }

  #cancel(name: "escape" | "ctrl+c"): void {
    if (this.#work !== undefined) this.#work.controller.abort();
    else if (name === "ctrl+c" && this.#editor.text !== "") this.#editor.set("");
    else this.#note = "nothing runs; ctrl+d leaves";
  }

  /** What runs is drawn again; what was printed is printed again. */
  #toggle(): void {
    const running = this.#work?.work;
    const block = running?.isKept ? running.live : this.#last;
    if (block === undefined) return;
    const shown = () => {
      if (block === this.#last) this.#ports.screen.print(block.render(this.#room()));
      this.#changed();
    };
    Promise.resolve(block.toggle()).then(shown, this.#fail);
  }

  #say(text: string, role?: "dim" | "warning"): void {
    this.#ports.screen.print(textRows(text, this.#room().width, this.#ports.theme, role));
    this.#changed();
  }

  #room(): Room {
    const { width, height } = this.#ports.screen;
    return { width, rows: height };
  }

  /** Draws soon: a frame after the last time. */
  #changed(): void {
    this.#timer ??= setTimeout(() => this.#draw(), Math.max(0, this.#drawnAt + FRAME_MS - performance.now()));
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#drawnAt = performance.now();
    const { screen, theme } = this.#ports;
    const room = this.#room();
    const prompt =
      this.approvals.keys === undefined
        ? promptRows(this.#editor, room.width, Math.max(1, Math.floor(room.rows * PROMPT_SHARE)))
        : questionRows(textRows(this.approvals.keys, room.width, theme, "accent"));
    const hints = textRows(clip(this.#hint(), room.width), room.width, theme, "dim").slice(0, 1);
    const most = Math.max(0, room.rows - prompt.rows.length - HINT_ROWS);
    const running = most === 0 ? [] : (this.#work?.work.live.render(room).slice(-most) ?? []);
    screen.draw({
      rows: [...running, ...prompt.rows, ...hints],
      cursor: { row: running.length + prompt.cursor.row, column: prompt.cursor.column },
    });
  }

  #hint(): string {
    if (this.#note !== "") return this.#note;
    const running = this.#ports.jobs.runningCount;
    const jobs = running === 0 ? "" : `${running} ${running === 1 ? "job" : "jobs"} · `;
    const keys = this.#work === undefined ? "ctrl+o expands · ctrl+d leaves" : "esc ends what runs";
    return visible(`${jobs}${keys} · ${this.#ports.cwd()}`);
  }
}

/** The keys of a question; the cursor waits behind them. */
function questionRows(rows: readonly string[]) {
  return { rows, cursor: { row: Math.max(0, rows.length - 1), column: 0 } };
}
