/**
 * `pi-bash replay`: plays the record of a task's terminal, from a file, from the artifacts of a folder, or of a kept session.
 */
import { existsSync } from "node:fs";
import { ArtifactStore } from "@pi-bash/executor";
import { DEFAULT_THEME, PLAIN_THEME } from "@pi-bash/renderer";
import { CastError } from "@pi-bash/terminal/internal";
import { InputReader } from "../console/input-reader.ts";
import { Screen } from "../console/screen.ts";
import { askOnce } from "../host/host-client.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { parseOptionWords } from "../option-words.ts";
import { type CastFile, openCast } from "../replay/cast-file.ts";
import { lastScreen, type Pace, Player } from "../replay/player.ts";
import { REPLAY_OPTIONS } from "../surface/options.ts";
import { UsageError } from "../usage.ts";

/** Exit status of a record that cannot be read. */
const FAILED = 1;
const MAX_SPEED = 1_000;
const MAX_IDLE_SECONDS = 86_400;

/** Runs the words after `replay` and resolves with the exit status. */
export async function replay(words: readonly string[]): Promise<number> {
  const asked = { args: [...words], allowPositionals: true, options: REPLAY_OPTIONS };
  const { positionals, values } = parseOptionWords(asked);
  const [word, ...more] = positionals;
  if (word === undefined || more.length > 0) throw new UsageError("`replay` takes one file or one id");
  const pace: Pace = {
    speed: numberOf("--speed", values.speed, { least: 0.01, most: MAX_SPEED }) ?? 1,
    idleLimit: numberOf("--idle-limit", values["idle-limit"], { least: 0, most: MAX_IDLE_SECONDS }),
  };
  const path = await pathOf(word, values.artifacts);
  try {
    const file = await openCast(path);
    const isShown = process.stdout.isTTY === true && process.stdin.isTTY === true && values["at-once"] !== true;
    return isShown ? await playOnScreen(file, pace) : await printLast(file);
  } catch (error) {
    if (!(error instanceof CastError) && !isSystemError(error)) throw error;
    process.stderr.write(`pi-bash: the record \`${path}\` cannot be played: ${error.message}\n`);
    return FAILED;
  }
}

/** A file that is there, an artifact of a folder, or a task of the host. */
async function pathOf(word: string, folder: string | undefined): Promise<string> {
  if (folder !== undefined) {
    const found = await new ArtifactStore({ folder }).get(word.replace(/^artifact:\/\//, ""));
    if (found?.kind !== "cast") throw new UsageError(`\`${word}\` is not a record in \`${folder}\``);
    return found.path;
  }
  if (existsSync(word)) return word;
  const { record } = await askOnce({ ask: "record", id: word });
  return record ?? word;
}

async function printLast(file: CastFile): Promise<number> {
  const text = await lastScreen(file);
  process.stdout.write(text === "" ? "" : `${text}\n`);
  return 0;
}

async function playOnScreen(file: CastFile, pace: Pace): Promise<number> {
  const screen = new Screen(process.stdout, process.stdin);
  const theme = process.env["NO_COLOR"] === undefined ? DEFAULT_THEME : PLAIN_THEME;
  const player = new Player(file, { screen, theme, pace });
  const leave = (): void => player.leave();
  const interrupt = listenForInterrupt(leave);
  const reader = new InputReader((keys) => player.take(keys));
  const onData = (data: Buffer): void => reader.push(data);
  const onResize = (): void => player.resized();
  process.stdout.on("resize", onResize).on("error", leave);
  process.stdin.on("data", onData).on("end", leave).on("error", leave);
  screen.open();
  let text = "";
  try {
    text = await player.play();
    return interrupt.status ?? 0;
  } finally {
    reader.end();
    screen.restore();
    process.stdout.off("resize", onResize);
    process.stdin.off("data", onData).off("end", leave).destroy();
    interrupt.release();
    if (text !== "") process.stdout.write(`${text}\n`);
  }
}

function numberOf(
  name: string,
  text: string | undefined,
  { least, most }: { least: number; most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !(value >= least && value <= most)) {
    throw new UsageError(`${name} takes a number from ${least} to ${most}, not \`${text}\``);
  }
  return value;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
