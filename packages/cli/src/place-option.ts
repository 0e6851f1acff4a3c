/**
 * `--on PLACE`: the place that a word names.
 *
 * `ssh:DEST`, `podman:NAME`, `docker:NAME`, `kubectl:[NS/]POD[/CONTAINER]`, `slurm[:PARTITION]` and `command:WORDS`, whose words
 * are read by the parser of command lines and never by a shell. `PI_HOST_BINARY` in the environment names the file that is
 * sent, for a `pi-host` that was built by hand.
 */
import { analyzeCommand } from "@pi-bash/command";
import { shortLine } from "@pi-bash/contract/internal";
import { command, container, kubernetes, PlaceOptionError, type RemotePlace, slurm, ssh } from "@pi-bash/places";
import { UsageError } from "./usage.ts";

/** Longest time that a place goes on without a connection, in seconds: a week, as places have it. */
const MAX_KEEP_SECONDS = 7 * 24 * 3_600;

const KINDS = "ssh:DEST, podman:NAME, docker:NAME, kubectl:[NS/]POD[/CONTAINER], slurm[:PARTITION] or command:WORDS";

/**
 * The place that `text` names. Nothing is connected.
 *
 * @param keep the value of `--keep`: seconds for which it goes on without a connection
 * @throws UsageError for what names none
 */
export function parsePlace(text: string, keep?: string): RemotePlace {
  const colon = text.indexOf(":");
  const kind = colon === -1 ? text : text.slice(0, colon);
  const rest = colon === -1 ? "" : text.slice(colon + 1);
  try {
    return placeOf(kind, rest, keep === undefined ? {} : { onCut: { keepMs: keepMsOf(keep) } }) ?? refuse(text);
  } catch (error) {
    if (!(error instanceof PlaceOptionError)) throw error;
    throw new UsageError(`\`--on ${shortLine(text)}\`: ${error.message}`, { cause: error });
  }
}

/** The place of `--on` and `--keep`, where there is one. Throws UsageError, also for `--keep` alone. */
export function placeOption({ on, keep }: { on?: string | undefined; keep?: string | undefined }) {
  if (on !== undefined) return parsePlace(on, keep);
  if (keep !== undefined) throw new UsageError("`--keep` is about the connection to a place; give one with `--on`");
  return undefined;
}

function keepMsOf(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds >= 1 && seconds <= MAX_KEEP_SECONDS) return Math.round(seconds * 1_000);
  throw new UsageError(`\`--keep\` takes 1 to ${MAX_KEEP_SECONDS} seconds, not \`${shortLine(text)}\``);
}

function placeOf(kind: string, rest: string, cut: { onCut?: { keepMs: number } }): RemotePlace | undefined {
  const common = { ...ownBinary(), ...cut };
  switch (kind) {
    case "ssh":
      return ssh(rest, common);
    case "podman":
    case "docker":
      return container({ runtime: kind, name: rest, ...common });
    case "kubectl":
      return kubernetes({ ...podOf(rest), ...common });
    case "slurm":
      return slurm({ ...(rest === "" ? {} : { partition: rest }), onQueue: tellQueue, ...common });
    case "command":
      return command(wordsOf(rest), common);
    default:
      return undefined;
  }
}

function refuse(text: string): never {
  throw new UsageError(`\`--on\` takes ${KINDS}, not \`${shortLine(text)}\``);
}

/** Reports a wait in a queue, so that it does not look like a hang. */
function tellQueue(text: string): void {
  process.stderr.write(`pi-bash: ${text}\n`);
}

function ownBinary(): { hostBinary?: string } {
  const hostBinary = process.env["PI_HOST_BINARY"];
  return hostBinary === undefined || hostBinary === "" ? {} : { hostBinary };
}

/** `POD`, `NS/POD`, `NS/POD/CONTAINER`; an empty namespace is that of the context. */
function podOf(text: string): { pod: string; namespace?: string; container?: string } {
  const parts = text.split("/");
  if (parts.length > 3) throw new UsageError(`\`--on kubectl:${shortLine(text)}\` has more than [NS/]POD[/CONTAINER]`);
  const [first = "", second, third] = parts;
  if (second === undefined) return { pod: first };
  return {
    pod: second,
    ...(first === "" ? {} : { namespace: first }),
    ...(third === undefined ? {} : { container: third }),
  };
}

/** The words of one plain command, quotes removed. Nothing in them is expanded. */
function wordsOf(text: string): string[] {
  const { ok, commands, constructs } = analyzeCommand(text);
  const [only] = commands;
  const words = only?.argv.map((word) => word.value) ?? [];
  const isPlain = ok && commands.length === 1 && constructs.length === 0 && only?.redirections.length === 0;
  if (isPlain && only.assignments.length === 0 && words.length > 0 && words.every((word) => word !== null)) {
    return words.filter((word) => word !== null);
  }
  throw new UsageError(
    `\`--on command:${shortLine(text)}\` takes the words of one program, which runs the words that follow: no pipes, redirections or variables`,
  );
}
