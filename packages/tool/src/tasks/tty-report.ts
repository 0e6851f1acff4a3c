/**
 * What a model reads of a task on a terminal: who waits and what for, the screen, and how to answer.
 *
 * Facts stand in lines before the output. What a program wrote is in quotes or fenced: it is data.
 */
import type { TaskAwaitEntry, TaskScreen, TaskWaiting } from "@pi-bash/contract";
import type { JobView, TaskTerminal } from "@pi-bash/executor";

/** The facts of a terminal in an entry. */
export interface TerminalEntry {
  waiting?: TaskWaiting;
  screen?: TaskScreen;
  holder?: "person";
}

/** Screens that readers were shown, by reader. */
const SHOWN = new WeakMap<TaskTerminal, Map<string, string>>();

/** Readers whose last screen is remembered, of one task. */
const MAX_READERS = 16;

/** The facts of a terminal now. `wantsScreen`: the screen also where no program has drawn it. */
export function terminalEntry(terminal: TaskTerminal | undefined, wantsScreen: boolean): TerminalEntry {
  if (terminal === undefined || terminal.isOver) return {};
  const { waiting, holder } = terminal;
  return {
    ...(waiting === undefined ? {} : { waiting }),
    ...(wantsScreen || terminal.isDrawn ? { screen: terminal.screen() } : {}),
    ...(holder === undefined ? {} : { holder }),
  };
}

/** Whether a reader was shown the same screen before; remembers the one of now. */
export function isSameScreen(
  terminal: TaskTerminal,
  reader: string,
  { text, row, col, highlighted }: TaskScreen,
): boolean {
  const readers = SHOWN.get(terminal) ?? new Map<string, string>();
  SHOWN.set(terminal, readers);
  const now = JSON.stringify([text, row, col, highlighted ?? []]);
  const isSame = readers.get(reader) === now;
  readers.delete(reader);
  readers.set(reader, now);
  for (const oldest of readers.keys()) {
    if (readers.size <= MAX_READERS) break;
    readers.delete(oldest);
  }
  return isSame;
}

type RunningEntry = Extract<TaskAwaitEntry, { status: "running" }>;

/** The lines of facts of a task on a terminal; undefined: there are none, it runs as any other. */
export function terminalHead({ taskId, waiting, screen, holder }: RunningEntry): string | undefined {
  if (holder === "person") {
    return `### Task ${taskId}: a person has the terminal\nWhat you send is refused until it is handed back; you are notified then.`;
  }
  const isFullScreen = screen?.alternate === true || waiting?.kind === "screen";
  const lines = [
    isFullScreen ? screenHead(taskId, waiting, screen) : waiting && waitingHead(taskId, waiting),
    ...(isFullScreen ? [] : waitingLines(taskId, waiting)),
    screen === undefined || isFullScreen ? undefined : `screen: ${placeOf(screen)}`,
    screen?.title === undefined ? undefined : `title: ${JSON.stringify(screen.title)}`,
    screen?.highlighted === undefined
      ? undefined
      : `highlighted: ${screen.highlighted.map((text) => JSON.stringify(text)).join(", ")}`,
  ].filter((line) => line !== undefined);
  if (lines.length === 0) return undefined;
  return lines[0]?.startsWith("###") ? lines.join("\n") : [`### Task ${taskId}: running`, ...lines].join("\n");
}

function screenHead(taskId: string, waiting: TaskWaiting | undefined, screen: TaskScreen | undefined): string {
  const program = waiting === undefined ? "" : ` \`${waiting.program}\``;
  const place = screen === undefined ? "" : `, ${placeOf(screen)}`;
  return `### Task ${taskId}: full-screen program${program}${place}`;
}

function placeOf({ row, col, cols, rows }: TaskScreen): string {
  return `cursor row ${row} column ${col}, ${cols}x${rows}`;
}

function waitingHead(taskId: string, { kind, since_ms: sinceMs, certain }: TaskWaiting): string {
  if (kind === "secret") return `### Task ${taskId}: waiting for a secret`;
  const state = certain ? "waiting for input" : "may wait for input";
  return `### Task ${taskId}: ${state} (${kind}) after ${(sinceMs / 1_000).toFixed(1)} s`;
}

function waitingLines(taskId: string, waiting: TaskWaiting | undefined): string[] {
  if (waiting === undefined) return [];
  const { kind, program, prompt, certain } = waiting;
  const asks =
    prompt === undefined ? `\`${program}\` reads the terminal.` : `\`${program}\` asks: ${JSON.stringify(prompt)}`;
  if (kind === "secret") {
    return [
      asks,
      "A person has to type it; text from you is refused. The host was notified. task_await returns when it goes on.",
    ];
  }
  if (!certain) return [asks];
  const call = JSON.stringify({ task_id: taskId, text: "…" });
  return [asks, `Answer with task_send(${call}), or end it with task_terminate.`];
}

/** Why a task takes nothing: it has ended. */
export function endedText(taskId: string, { exitCode, endedAtMs, signal }: JobView, nowMs: number): string {
  const how = exitCode !== undefined ? `exit code ${exitCode}, ` : signal !== undefined ? `killed by ${signal}, ` : "";
  const ago = Math.max(0, Math.round((nowMs - (endedAtMs ?? nowMs)) / 1_000));
  return `${taskId} has ended (${how}${ago} s ago).`;
}

/** The text that an owner is delivered when a task in the background begins to wait. */
export function waitingNews(taskId: string, terminal: TaskTerminal): string | undefined {
  const facts = terminalEntry(terminal, false);
  const head = terminalHead({ status: "running", taskId, ...facts });
  return facts.waiting === undefined ? undefined : head;
}
