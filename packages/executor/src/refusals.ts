/**
 * What a sandbox, or a read-only run, refused: records of a sandbox's proxy, and hints taken from what a failed command
 * printed.
 *
 * The proxy refuses itself, so what it says is exact. The kernel answers the program, not us: what remains is the
 * program's message. So that is a hint, made of the profile (what could be written, whether there was a network) and the
 * messages of the C library in the last lines. A program that prints nothing, or in another language, leaves none.
 * Nothing is decided by it.
 */

import { access, constants, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { SandboxOutcome, SandboxRefusal, SandboxRefusalKind, SandboxReport } from "@pi-bash/contract";
import { headUnits } from "@pi-bash/contract/internal/text";

/** Lines at the end of an output that are looked at. */
const MAX_LINES = 100;
/** Longest line that is looked at, in UTF-16 units; messages of errors are shorter. */
const MAX_LINE_CHARS = 2_000;
/** Refusals that are reported. */
const MAX_REFUSALS = 5;
/** Paths of one line that are looked at. */
const MAX_PATHS = 2;
/** Missing folders that are stepped over to find what is there. */
const MAX_MISSING = 16;
/** Longest evidence, in UTF-16 units. */
const MAX_EVIDENCE_CHARS = 200;

/** What is known of the run. */
export interface Profile {
  /** Who holds the command. */
  report: Pick<SandboxOutcome, "backend" | "network" | "degraded">;
  /** Folders that could be written, absolute. */
  writablePaths: readonly string[];
  /** Where relative paths are taken from: the directory in which the command ended. */
  cwd: string;
  /** The host is root, who has capabilities only outside. */
  isRoot: boolean;
  /** It ran read-only: it saw what the host sees, so that what the host may not do either was not refused by that. */
  isReadOnly?: boolean;
}

type Failure =
  | "read-only"
  | "busy"
  | "cross-device"
  | "denied"
  | "not-permitted"
  | "superuser"
  | "unreachable"
  | "gone";

/** Messages of errors: of the C library, of Node, and of the programs that word their own. */
const FAILURES: readonly (readonly [Failure, RegExp])[] = [
  ["read-only", /read-only file system|\bEROFS\b/i],
  ["busy", /device or resource busy|\bEBUSY\b/i],
  ["cross-device", /cross-device link|\bEXDEV\b/i],
  ["denied", /permission denied|\bEACCES\b/i],
  ["not-permitted", /operation not permitted|\bEPERM\b|address family not supported|\bEAFNOSUPPORT\b/i],
  ["superuser", /must be superuser|only root can/i],
  [
    "unreachable",
    /network is unreachable|no route to host|connection refused|could ?n[o']t (resolve|connect)|temporary failure in name resolution|name or service not known|\b(ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|EAI_AGAIN)\b/i,
  ],
  ["gone", /no such process|no such file or directory|\bESRCH\b|\bENOENT\b/i],
];

/** Node repeats the code of an error on a line of its own. */
const CODE_ALONE = /^\s*code: '\w+',?\s*$/;

/** What a line is about, where it says more than a path. The first that fits. */
const TOPICS: readonly (readonly [SandboxRefusalKind, RegExp])[] = [
  ["terminal", /TIOCSTI|TIOCLINUX|\/dev\/(pts\/\d|tty\w|console\b|vcs)/],
  ["namespace", /\bunshare|\bsetns|\bnsenter|\bbwrap|namespace|uid_map/i],
  ["mount", /\bu?mount|\bpivot_root|\bchroot/i],
  ["process", /\bkill\b|\bptrace|\bstrace\b|\/proc\/\d+\//i],
  ["file-metadata", /\bch(mod|own|grp)\b|permissions of|ownership of|\bsetfattr|\bl?utimens/i],
  ["local-socket", /\bunix|abstract|\b(d-?|message )bus\b|\.sock\b|docker daemon|connect E\w+ [/@\0]/i],
  ["network", /\b(socket|connect|bind|send|sendto|sendmsg)\b/i],
];

/** What a run's result says of its sandbox: what the proxy refused is among the refusals. */
export function outcomeOf({ networkRefusals, ...report }: SandboxReport): SandboxOutcome {
  if (networkRefusals === undefined) return report;
  const refusals = networkRefusals.map(({ target, reason, rule }) => ({
    kind: "network" as const,
    target,
    ...(rule === undefined ? {} : { rule }),
    evidence: headUnits(`\`${target}\`, which ${reason}`, MAX_EVIDENCE_CHARS),
  }));
  return { ...report, refusals };
}

/** What may have been refused, in the order of the output. */
export async function hintsIn(output: string, profile: Profile): Promise<SandboxRefusal[]> {
  const found = new Map<string, SandboxRefusal>();
  for (const line of output.split("\n").slice(-MAX_LINES)) {
    const refusal = line.length > MAX_LINE_CHARS ? undefined : await refusalIn(line, profile);
    const name = `${refusal?.kind} ${refusal?.path ?? ""}`;
    // The first line of several that say the same says most; what follows repeats its code.
    if (refusal !== undefined && !found.has(name)) found.set(name, refusal);
  }
  return [...found.values()].slice(-MAX_REFUSALS);
}

async function refusalIn(line: string, profile: Profile): Promise<SandboxRefusal | undefined> {
  if (CODE_ALONE.test(line)) return undefined;
  const [failure, message] = FAILURES.find(([, words]) => words.test(line)) ?? [];
  if (failure === undefined || message === undefined) return undefined;
  const paths = pathsIn(line, message);
  const kind = kindByWords(line, failure, profile);
  const evidence = headUnits(line.trim(), MAX_EVIDENCE_CHARS);
  if (kind !== undefined) return { kind, evidence };
  return await byPath({ failure, paths, evidence }, profile);
}

/** What the words alone tell; undefined: the path has to. */
function kindByWords(line: string, failure: Failure, { report, isReadOnly }: Profile): SandboxRefusalKind | undefined {
  // With rules the proxy keeps records; what cannot be reached all the same did not ask it.
  if (failure === "unreachable") return report.network === true ? undefined : "network";
  const topic = TOPICS.find(([, words]) => words.test(line))?.[0];
  // What is outside does not exist in a sandbox; a read-only run sees it.
  if (failure === "gone")
    return isReadOnly !== true && (topic === "process" || topic === "terminal") ? topic : undefined;
  if (failure === "denied" || failure === "not-permitted" || failure === "superuser") {
    // With a network the filter still refuses some families.
    return topic === "network" && report.network === true ? "system-call" : topic;
  }
  return topic === "mount" ? topic : undefined;
}

interface Named {
  failure: Failure;
  paths: readonly string[];
  evidence: string;
}

async function byPath({ failure, paths, evidence }: Named, profile: Profile): Promise<SandboxRefusal | undefined> {
  const isInside = await Promise.all(paths.map((path) => isWritable(path, profile)));
  const outside = paths.find((_, index) => !isInside[index]);
  const path = outside ?? paths[0];
  const place = path === undefined ? "unnamed" : outside === undefined ? "inside" : "outside";
  const isByHost = failure === "denied" && profile.isReadOnly === true && path !== undefined;
  const kind = isByHost ? await kindByHost(resolve(profile.cwd, path), profile) : kindByPlace(failure, place, profile);
  return kind === undefined ? undefined : { kind, ...(path === undefined ? {} : { path }), evidence };
}

/** Where a path is: in a folder that can be written, elsewhere, or not named by the line. */
type Place = "inside" | "outside" | "unnamed";

/** Failures that mean the same whatever holds the sandbox. */
const BY_PLACE: Readonly<Partial<Record<Failure, Readonly<Partial<Record<Place, SandboxRefusalKind>>>>>> = {
  "read-only": { inside: "protected-path", outside: "read-only-path", unnamed: "read-only-path" },
  busy: { inside: "protected-path" },
  "cross-device": { outside: "read-only-path" },
  superuser: { inside: "system-call", outside: "system-call", unnamed: "system-call" },
};

/** Mounts answer "read-only file system"; where there are none, Landlock and Seatbelt refuse in their own words. */
function kindByPlace(failure: Failure, place: Place, { report, isRoot }: Profile): SandboxRefusalKind | undefined {
  if (failure === "denied") {
    const isAlone = report.backend === "landlock" && report.degraded.includes("protected-paths");
    if (isAlone && place === "outside") return "read-only-path";
    return isRoot ? "privilege" : undefined;
  }
  if (failure === "not-permitted") {
    if (report.backend !== "seatbelt" || place === "unnamed") return "system-call";
    return place === "inside" ? "protected-path" : "read-only-path";
  }
  return BY_PLACE[failure]?.[place];
}

/** What a read-only run was denied at a path, by what the host may do there; undefined: the host is denied it, too. */
async function kindByHost(path: string, { isRoot }: Profile): Promise<SandboxRefusalKind | undefined> {
  const found = await stat(path).catch(() => undefined);
  // Without capabilities root is one of the others, who may not read every file.
  if (isRoot && found !== undefined && found.uid !== 0 && (found.mode & 0o004) === 0) return "privilege";
  const writes = await access(found === undefined ? dirname(path) : path, constants.W_OK).then(
    () => true,
    () => false,
  );
  return writes ? "read-only-path" : undefined;
}

/** The paths that a message names: in quotes, or before its last colon. */
function pathsIn(line: string, message: RegExp): string[] {
  const quoted = [...line.matchAll(/['"‘`]([^'"’`]+)['"’`]/g)].map(([, path = ""]) => path);
  if (quoted.length > 0) return quoted.slice(-MAX_PATHS);
  const parts = line.slice(0, line.search(message)).split(": ");
  const part = parts.findLast((text) => text.trim() !== "")?.trim() ?? "";
  // The first part is the program's own name, and a last one of several words is a sentence that may end in a path.
  const word = part.split(/\s+/).at(-1) ?? "";
  const isPath = word.includes("/") || (word === part && parts.length > 2);
  return isPath ? [word] : [];
}

/** Whether a path is in a folder that can be written, its links followed as far as they lead from here. */
async function isWritable(path: string, { writablePaths, cwd }: Profile): Promise<boolean> {
  const real = await realOf(resolve(cwd, path));
  for (const folder of writablePaths) {
    const way = relative(await realOf(folder), real);
    if (way !== ".." && !way.startsWith("../") && !isAbsolute(way)) return true;
  }
  return false;
}

/** The real path of what is there, with the rest of the name after it. */
async function realOf(path: string, steps = MAX_MISSING): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path || steps === 0 ? path : join(await realOf(parent, steps - 1), relative(parent, path));
  }
}
