/**
 * What a result says of a command that ran read-only: what the core reports, and what the output tells beside it.
 *
 * The core names what the kernel refused where the kernel reports it. Elsewhere the messages of a failed command are all
 * there is; they are read by the mechanism that reads them for sandboxes (`../refusals.ts`).
 */
import { type ReadOnlyEnforced, type ReadOnlyRefusal, SandboxRefusalKind } from "@pi-bash/contract";
import type { ReadOnlyFacts } from "../natives-port.ts";
import { type Profile, refusalsIn } from "../refusals.ts";

/** Refusals of one result. */
const MAX_REFUSALS = 20;

const KINDS: ReadonlySet<string> = new Set(SandboxRefusalKind.options);

/** The core's report in the contract's form. */
export function enforcedOutcome({ degraded, stateDropped, refusals }: ReadOnlyFacts): ReadOnlyEnforced {
  return {
    enforced: true,
    degraded: [...degraded],
    stateDropped,
    refusals: refusals.slice(0, MAX_REFUSALS).map(({ kind, path, call }) => ({
      // A kind that this version does not know is still a refusal.
      kind: isKind(kind) ? kind : "system-call",
      ...(path === undefined ? {} : { path }),
      ...(call === undefined ? {} : { call }),
    })),
  };
}

function isKind(kind: string): kind is SandboxRefusalKind {
  return KINDS.has(kind);
}

/** Landlock refuses in its own words, and nothing but a temporary folder can be written. */
const HOLDER: Profile["report"] = { backend: "landlock", network: false, degraded: ["protected-paths"] };

/** With what the output of a failed command tells of refusals that the core did not report. */
export async function withRecognized(
  outcome: ReadOnlyEnforced,
  output: string,
  cwd: string,
): Promise<ReadOnlyEnforced> {
  const profile: Profile = {
    report: HOLDER,
    writablePaths: [],
    cwd,
    isRoot: process.getuid?.() === 0,
    isReadOnly: true,
  };
  const found = await refusalsIn(output, profile);
  const refusals = [...outcome.refusals, ...found.filter((each) => !isReported(each, outcome.refusals))];
  return { ...outcome, refusals: refusals.slice(0, MAX_REFUSALS) };
}

/** A message names the path as the program was given it, the kernel as the program gave it: mostly the same. */
function isReported({ kind, path }: ReadOnlyRefusal, known: readonly ReadOnlyRefusal[]): boolean {
  return known.some((each) => each.kind === kind && (path === undefined || sameFile(each.path, path)));
}

function sameFile(one: string | undefined, other: string): boolean {
  return one === other || one?.split("/").at(-1) === other.split("/").at(-1);
}
