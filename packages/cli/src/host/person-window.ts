/**
 * A person of this process at the terminal of a task that a host keeps: its screen in a window over the whole of ours.
 *
 * What the program writes is drawn by the window; nothing else of it reaches the person's terminal. ctrl+] hands back, and so
 * does whatever ends this process.
 */
import { StringDecoder } from "node:string_decoder";
import { DEFAULT_THEME, PLAIN_THEME } from "@pi-bash/renderer";
import { InputReader } from "../console/input-reader.ts";
import { ProgramWindow } from "../console/program-window.ts";
import { Screen } from "../console/screen.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { FRAME, FrameLink } from "./frames.ts";
import type { HostConnection } from "./host-client.ts";
import { statusIn } from "./relay.ts";

/** Exit status where the host ended without a word. */
const CUT_STATUS = 1;
/** Rows and columns that the window's frame takes of a terminal. */
const FRAME_CELLS = 2;

/** The size that the window leaves to the program, in cells. */
export function windowSize({ columns, rows }: { columns: number; rows: number }): { cols: number; rows: number } {
  return { cols: Math.max(1, columns - FRAME_CELLS), rows: Math.max(1, rows - FRAME_CELLS) };
}

/** Serves the person until they leave or the program ends; the exit status. Our terminal is as it was then. */
export async function typeAtTask(connection: HostConnection, id: string): Promise<number> {
  const { socket, answer } = connection;
  const screen = new Screen(process.stdout, process.stdin);
  const messages: string[] = [];
  let status: number | undefined;
  const link: FrameLink = new FrameLink(socket, {
    onFrame: (kind, payload) => {
      if (kind === FRAME.message) messages.push(payload.toString("utf8"));
      if (kind !== FRAME.exit) return;
      status = statusIn(payload);
      link.endInput();
    },
    onClosed: () => link.endInput(),
  });
  let hasLeft = false;
  const leave = (): void => {
    hasLeft = true;
    link.send(FRAME.inputEnd);
    link.endInput();
  };
  const interrupt = listenForInterrupt(leave);
  const size = (cols: number, rows: number): void => link.send(FRAME.size, JSON.stringify({ cols, rows }));
  screen.open();
  const window = new ProgramWindow(
    {
      title: "Console",
      command: answer.command ?? id,
      write: (data) => link.output.write(data),
      resize: size,
      kill: leave,
    },
    {
      screen,
      theme: process.env["NO_COLOR"] === undefined ? DEFAULT_THEME : PLAIN_THEME,
      escapeToProgram: true,
      isTask: true,
      closed: () => undefined,
    },
  );
  const release = passKeys(window, leave);
  try {
    const decoder = new StringDecoder("utf8");
    for await (const piece of link.input) await window.view.onData?.(decoder.write(piece));
    if (interrupt.status !== undefined) return interrupt.status;
    if (hasLeft) messages.push(`handed \`${id}\` back; it goes on`);
    else if (status === undefined) messages.push("the host has ended");
    return hasLeft ? 0 : (status ?? CUT_STATUS);
  } finally {
    release();
    window.close({ cancelled: false, timedOut: false });
    screen.restore();
    for (const message of messages) process.stderr.write(`pi-bash: ${message}\n`);
    interrupt.release();
    socket.end();
    process.stdin.destroy();
  }
}

/** Gives the window keys and sizes. Returns what ends that. */
function passKeys(window: ProgramWindow, leave: () => void): () => void {
  const reader = new InputReader((keys) => window.take(keys));
  const onData = (data: Buffer): void => reader.push(data);
  const onResize = (): void => window.resized();
  process.stdout.on("resize", onResize).on("error", leave);
  process.stdin.on("data", onData).on("end", leave).on("error", leave);
  return () => {
    reader.end();
    process.stdout.off("resize", onResize);
    process.stdin.off("data", onData).off("end", leave);
  };
}
