/**
 * Keeps what a trailing `| head` or `| tail` reads: the pipeline runs as it is and its input is copied to an artifact.
 *
 * The copy is made by `tee` in the command's own shell (see `@pi-bash/command`), appending, so that cutting the file to
 * nothing here frees the disk when a stream turns out to be endless. An artifact is only named when something was
 * hidden and the file has all of it. Whether `tee` could write it, a second file tells, which is filled beforehand, so
 * that a word fits in there on a full disk, too.
 */
import { createReadStream } from "node:fs";
import { readFile, stat, truncate, unlink, writeFile } from "node:fs/promises";
import { applyBashFixups, type TrailingPipe, teeTrailingPipes } from "@pi-bash/command";
import { artifactUrl } from "@pi-bash/contract/internal";
import type { ArtifactStore } from "@pi-bash/executor";
import { sizeText } from "./notices.ts";

/** Time between two looks at the size of the copy, in milliseconds: at 2 GiB a second it grows by 512 MiB. */
const LOOK_INTERVAL_MS = 250;
/** Larger copies are reported in bytes only; counting their lines would take longer than the command, in bytes. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
/** Room for what `tee` has to say: a path and a reason. */
const COMPLAINT_BYTES = 1_024;

export interface KeptStream {
  /** The text to run. */
  command: string;
  /** Ends the keeping; call it once the command has ended. What the model reads, if anything was hidden. */
  finish(): Promise<string | undefined>;
}

export type KeptStreamStore = Pick<ArtifactStore, "allocate" | "settle" | "maxBytes">;

/** Prepares a command whose trailing pipes hide something; undefined: it has none, or the file cannot be made. */
export async function keepTrailingStreams(command: string, store: KeptStreamStore): Promise<KeptStream | undefined> {
  const fixups = applyBashFixups(command, "tee");
  if (fixups.pipes.length === 0) return undefined;
  const artifact = await newFile(store);
  if (artifact === undefined) return undefined;
  const watch = watchSize(artifact.path, store.maxBytes);
  return {
    command: teeTrailingPipes(fixups, artifact.path, artifact.complaints),
    finish: async () => {
      const isWithinBound = await watch.end();
      const problem = isWithinBound ? await complaintIn(artifact.complaints) : `it is over ${sizeText(store.maxBytes)}`;
      await unlink(artifact.complaints).catch(() => undefined);
      const { notice, keep } =
        problem === undefined
          ? await describe(fixups.pipes, artifact)
          : { notice: `What ${namesOf(fixups.pipes)} read is not kept: ${problem}`, keep: false };
      await store.settle(artifact.id, keep ? "keep" : "discard");
      return notice;
    },
  };
}

interface CopyFiles {
  id: string;
  path: string;
  /** Path of the file for what `tee` has to say. */
  complaints: string;
}

async function newFile(store: KeptStreamStore): Promise<CopyFiles | undefined> {
  const artifact = await store.allocate("bash").catch(() => undefined);
  if (artifact === undefined) return undefined;
  const complaints = `${artifact.path}.tee`;
  try {
    // `tee` would make it with the umask of the session.
    await writeFile(artifact.path, "", { flag: "wx", mode: 0o600 });
    await writeFile(complaints, " ".repeat(COMPLAINT_BYTES), { flag: "wx", mode: 0o600 });
    return { ...artifact, complaints };
  } catch {
    await unlink(complaints).catch(() => undefined);
    await store.settle(artifact.id, "discard");
    return undefined;
  }
}

/** Why the copy is not whole; undefined: it is. A file that is gone says that its folder is, and the copy with it. */
async function complaintIn(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => "its folder is gone");
  const [first = ""] = text.trim().split("\n");
  if (first === "") return undefined;
  // `tee: '/a/path': No space left on device`
  return first
    .slice(first.lastIndexOf(": ") + 1)
    .trim()
    .slice(0, 120);
}

/** Looks at a growing file. `end` says whether it stayed within the bound. */
function watchSize(path: string, maxBytes: number): { end(): Promise<boolean> } {
  let isWhole = true;
  let look: Promise<void> | undefined;
  const check = async (): Promise<void> => {
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    if (size <= maxBytes) return;
    isWhole = false;
    await truncate(path).catch(() => undefined);
  };
  const timer = setInterval(() => {
    look ??= check().finally(() => {
      look = undefined;
    });
  }, LOOK_INTERVAL_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await look;
      await check();
      return isWhole;
    },
  };
}

async function describe(
  pipes: readonly TrailingPipe[],
  artifact: { id: string; path: string },
): Promise<{ notice?: string; keep: boolean }> {
  const bytes = (await stat(artifact.path).catch(() => undefined))?.size ?? 0;
  if (bytes === 0) return { keep: false };
  const lines = bytes <= MAX_COUNTED_BYTES ? await countLines(artifact.path) : undefined;
  const smallest = Math.min(...pipes.map((pipe) => lineLimit(pipe.text)));
  if (lines !== undefined && lines <= smallest) return { keep: false };
  const amount = lines === undefined ? sizeText(bytes) : `${lines} line${lines === 1 ? "" : "s"} (${sizeText(bytes)})`;
  return { notice: `${namesOf(pipes)} read ${amount}, kept in ${artifactUrl(artifact.id)}`, keep: true };
}

function namesOf(pipes: readonly TrailingPipe[]): string {
  const names = pipes.map((pipe) => `\`${pipe.text.slice(0, 40)}\``);
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and others` : names.join(", ");
}

/** Lines that the stage lets through at least; 0 where it counts bytes or in units. */
function lineLimit(stage: string): number {
  const words = stage.split(/\s+/).slice(stage.startsWith("|&") || stage.startsWith("| ") ? 2 : 1);
  const limits = words.filter((word) => !/^(?:-[qv]+|--quiet|--verbose|-n|--lines)$/.test(word));
  if (limits.length === 0) return 10;
  const found = /^(?:-|-n=?|--lines=)?(\d+)$/.exec(limits.at(-1) ?? "");
  return limits.length > 1 || words.includes("-c") || words.includes("--bytes") ? 0 : Number(found?.[1] ?? 0);
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  let last = 0x0a;
  for await (const block of createReadStream(path)) {
    const bytes: Buffer = block;
    for (let at = bytes.indexOf(0x0a); at !== -1; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
    last = bytes.at(-1) ?? last;
  }
  return last === 0x0a ? lines : lines + 1;
}
