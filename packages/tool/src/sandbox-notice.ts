/**
 * The line about what a sandbox may have refused: what, where, and what can be done about it.
 *
 * It says "may have": it comes from what the command printed (`packages/executor/src/sandbox-refusals.ts`).
 */
import type { SandboxOutcome, SandboxRefusalKind } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";

/** Longest path in the line, in UTF-16 units. */
const MAX_PATH_CHARS = 80;
/** Refusals that are named. */
const MAX_NAMED = 3;

const WHAT: Readonly<Record<SandboxRefusalKind, string>> = {
  "read-only-path": "writing outside the writable folders",
  "protected-path": "changing a protected path",
  network: "the network",
  "local-socket": "a Unix socket",
  mount: "mounting",
  namespace: "a namespace",
  process: "reaching a process outside",
  terminal: "typing into the terminal",
  "file-metadata": "an owner or a mode",
  privilege: "using root's capabilities",
  "system-call": "a system call",
};

/** The line; none where nothing hints at a refusal. */
export function sandboxNotice({ sandbox }: CommandResult): string[] {
  const refusals = sandbox?.refusals ?? [];
  if (sandbox === undefined || refusals.length === 0) return [];
  const named = refusals.slice(-MAX_NAMED);
  const what = named.map(({ kind, path }) => (path === undefined ? WHAT[kind] : `${WHAT[kind]} (\`${short(path)}\`)`));
  const remedies = new Set(named.map(({ kind }) => remedyOf(kind, sandbox)));
  const where = `${sandbox.mode}, ${sandbox.backend}`;
  return [`The sandbox (${where}) may have refused: ${[...new Set(what)].join("; ")}. ${[...remedies].join(" ")}`];
}

function remedyOf(kind: SandboxRefusalKind, { mode }: SandboxOutcome): string {
  if (kind === "network") return "It has no network but its own loopback; the user can set `sandbox.network`.";
  if (kind === "protected-path") return "This path stays read-only; leave the change to the user.";
  if (kind !== "read-only-path") return "No setting of the sandbox allows that; leave it to the user.";
  return mode === "read-only"
    ? "Only `$TMPDIR` can be written; the user can set `sandboxMode` to `workspace-write`."
    : "Write in the workspace or `$TMPDIR`; the user can add to `sandbox.writablePaths`.";
}

/** The path on one line. */
function short(path: string): string {
  const line = path.replaceAll(/\s+/g, " ");
  return line.length <= MAX_PATH_CHARS ? line : `…${line.slice(1 - MAX_PATH_CHARS).replace(/^[\uDC00-\uDFFF]/, "")}`;
}
