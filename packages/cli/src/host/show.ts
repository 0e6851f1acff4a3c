/**
 * What `pi-bash attach` sees, made by the host: a job's output as it comes, or the calls of a session.
 *
 * Looking takes nothing from the owner: results are delivered as without it. A person who types is in `person.ts`.
 */
import { constants } from "node:os";
import { setImmediate as nextTurn } from "node:timers/promises";
import { artifactUrl, displayLine } from "@pi-bash/contract/internal";
import { unlessAborted } from "@pi-bash/contract/internal/wait";
import { ArtifactError, type JobView, type JobWatch } from "@pi-bash/executor";
import { DEFAULT_THEME, PLAIN_THEME, type TaskToolName, type Theme } from "@pi-bash/renderer";
import { isTaskToolName } from "@pi-bash/renderer/internal";
import { TIMED_OUT_STATUS } from "../call-outcome.ts";
import { CallBlock, OtherBlock, type ReadOutput } from "../console/blocks.ts";
import { FRAME, type FrameLink } from "./frames.ts";
import type { KeptSession, SeenCall } from "./kept-session.ts";

/** Output at the beginning, and at one look, in bytes. */
const MAX_LOOK_BYTES = 64 * 1024;
/** One wait for output, in milliseconds: then it is asked again. */
const LOOK_MS = 60_000;
/** Rows that a call may have; more of it is kept elsewhere. */
const CALL_ROWS = 40;
/** Most of an output that is read again to be shown, in bytes. */
const MAX_SHOWN_BYTES = 256 * 1024;
/** Most that waits for an onlooker who does not read, in bytes: what happens further is left out. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Exit status where a job's own is not known, or there is none: as of a command that did not run. */
const NO_STATUS = 125;

/** What a call is drawn with. */
interface Scene {
  readonly sessionCwd: string;
  readonly theme: Theme;
  readonly readOutput: ReadOutput;
  readonly columns: number;
}

/** Each onlooker has a place of its own in an output. */
let onlookers = 0;

/** Shows a job until it has ended, and resolves with its exit status; undefined: the onlooker left. */
export async function showJob(watched: JobWatch, link: FrameLink, left: AbortSignal): Promise<number | undefined> {
  onlookers += 1;
  const reader = `attach ${onlookers}`;
  for (;;) {
    const look = await watched.look({
      reader,
      timeoutMs: LOOK_MS,
      stop: left,
      wakesOnOutput: true,
      maxBytes: MAX_LOOK_BYTES,
    });
    if (left.aborted) return undefined;
    if (look.output.isIncomplete) link.send(FRAME.message, "output before this is left out");
    if (look.problem !== undefined) link.send(FRAME.message, `the output cannot be read: ${look.problem}`);
    await written(link, look.output.text, left);
    if (look.job.endedAtMs !== undefined) return statusOf(look.job, link);
    await nextTurn();
  }
}

/** Shows the calls of a session until `left`. */
export async function showSession(
  session: KeptSession,
  link: FrameLink,
  { columns, hasColour, left }: { columns: number; hasColour: boolean; left: AbortSignal },
): Promise<void> {
  const theme = hasColour ? DEFAULT_THEME : PLAIN_THEME;
  const { artifacts } = session.seat.executor;
  const readOutput: ReadOutput = async (id) => {
    try {
      return (await artifacts.read(artifactUrl(id), { maxBytes: MAX_SHOWN_BYTES })).text;
    } catch (error) {
      if (error instanceof ArtifactError) return undefined;
      throw error;
    }
  };
  const sessionCwd = session.seat.cwd;
  const draw = (call: SeenCall): string => drawn(call, { sessionCwd, theme, readOutput, columns });
  const unwatch = session.watchCalls((call) => {
    // A slow onlooker is shown less, and holds nothing up.
    if (link.output.writableLength <= MAX_UNREAD_BYTES) link.output.write(draw(call));
  });
  try {
    await unlessAborted(new Promise<never>(() => undefined), left);
  } finally {
    unwatch();
  }
}

/** A call as it is shown: a line when it begins, and the whole when it has ended. */
function drawn({ tool, params, answer }: SeenCall, scene: Scene): string {
  const args: Readonly<Record<string, unknown>> = typeof params === "object" && params !== null ? { ...params } : {};
  if (answer === undefined) {
    const command = args["command"] ?? args["script"];
    return `${displayLine(typeof command === "string" ? `${tool}: ${command}` : tool)} …\n`;
  }
  const block = isOther(tool) ? new OtherBlock(tool, args, scene.theme) : new CallBlock(args, scene);
  block.answer(answer as Parameters<CallBlock["answer"]>[0] & Parameters<OtherBlock["answer"]>[0]);
  return `${block.render({ width: scene.columns, rows: CALL_ROWS }).join("\n")}\n`;
}

function isOther(tool: string): tool is TaskToolName | "job" {
  return tool === "job" || isTaskToolName(tool);
}

/** Resolves when the onlooker has taken it, or has left. */
async function written(link: FrameLink, text: string, left: AbortSignal): Promise<void> {
  if (text === "") return;
  await unlessAborted(new Promise<void>((resolve) => link.output.write(text, () => resolve())), left);
}

/** The exit status of an ended job; the reason goes to the person where the number does not say it. */
export function statusOf(job: JobView, link: FrameLink): number {
  if (job.stopped === "deadline") {
    link.send(FRAME.message, "it took longer than its deadline and was ended");
    return TIMED_OUT_STATUS;
  }
  if (job.state === "cancelled" || job.isLost === true) {
    link.send(FRAME.message, job.isLost === true ? "its end is not known" : "it was ended");
    return NO_STATUS;
  }
  if (job.signal !== undefined) {
    const number = Object.entries(constants.signals).find(([name]) => name === job.signal)?.[1];
    link.send(FRAME.message, `the command was ended by ${job.signal}`);
    if (number !== undefined) return 128 + number;
  }
  return job.exitCode ?? NO_STATUS;
}
