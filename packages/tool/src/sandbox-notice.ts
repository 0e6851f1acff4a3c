/**
 * The lines about the sandbox of a command: what it may have refused, with what can be done about it, and what is left
 * behind that a program outside will obey.
 *
 * The first says "may have": it comes from what the command printed (`packages/executor/src/refusals.ts`).
 */

import type { SandboxOutcome, SandboxPlantKind, SandboxRefusalKind } from "@pi-bash/contract";
import { clippedStart } from "@pi-bash/contract/text";
import type { CommandResult } from "@pi-bash/executor";

/** Longest path in the line, in UTF-16 units. */
const MAX_PATH_CHARS = 80;
/** Refusals that are named, and paths that were left behind. */
const MAX_NAMED = 3;

const WHAT: Readonly<Record<SandboxRefusalKind, string>> = {
  "read-only-path": "writing outside the writable folders",
  "protected-path": "changing a protected path",
  network: "the network",
  "local-socket": "a Unix socket",
  mount: "mounting",
  namespace: "a namespace",
  process: "reaching a process outside",
  terminal: "another terminal, or typing into one",
  "file-metadata": "an owner or a mode",
  privilege: "using root's capabilities",
  "system-call": "a system call",
};

const OBEYED_BY: Readonly<Record<SandboxPlantKind, string>> = {
  "git-repository": "git runs programs for it",
  "git-rebase": "`git rebase --continue` runs its commands",
  "tool-configuration": "an editor, a package manager or an agent obeys it",
};

/** The lines; none where nothing hints at a refusal and nothing was left behind. */
export function sandboxNotice({ sandbox }: CommandResult): string[] {
  return sandbox === undefined ? [] : [...refusalLine(sandbox), ...plantLine(sandbox)];
}

function plantLine({ planted = [] }: SandboxOutcome): string[] {
  if (planted.length === 0) return [];
  const named = planted.slice(0, MAX_NAMED).map(({ kind, path }) => `\`${short(path)}\` (${OBEYED_BY[kind]})`);
  const more = planted.length > MAX_NAMED ? ` and ${planted.length - MAX_NAMED} more` : "";
  return [
    `New or changed, and obeyed outside of the sandbox: ${named.join(", ")}${more}. ` +
      "Tell the user, who should read it before working there.",
  ];
}

function refusalLine(sandbox: SandboxOutcome): string[] {
  const refusals = sandbox.refusals ?? [];
  if (refusals.length === 0) return [];
  const remedies = new Set(refusals.slice(-MAX_NAMED).map(({ kind }) => remedyOf(kind, sandbox)));
  const where = `${sandbox.mode}, ${sandbox.backend}`;
  return [`The sandbox (${where}) may have refused: ${refusalWords(refusals)}. ${[...remedies].join(" ")}`];
}

/** The last refusals in words, each once, with their paths. `words` stand in place of the usual ones. */
export function refusalWords(
  refusals: readonly { readonly kind: SandboxRefusalKind; readonly path?: string | undefined }[],
  words: Partial<Record<SandboxRefusalKind, string>> = {},
): string {
  const what = refusals.slice(-MAX_NAMED).map(({ kind, path }) => {
    const word = words[kind] ?? WHAT[kind];
    return path === undefined ? word : `${word} (\`${short(path)}\`)`;
  });
  return [...new Set(what)].join("; ");
}

function remedyOf(kind: SandboxRefusalKind, { mode }: SandboxOutcome): string {
  if (kind === "network") return "It has no network but its own loopback; the user can set `sandbox.network`.";
  if (kind === "protected-path") return "This path stays read-only; leave the change to the user.";
  if (kind !== "read-only-path") return "No setting of the sandbox allows that; leave it to the user.";
  return mode === "read-only"
    ? "Only `$TMPDIR` can be written; the user can set `sandboxMode` to `workspace-write`."
    : "Write in the workspace or `$TMPDIR`; the user can add to `sandbox.writablePaths`.";
}

/** The path on one line, which its own quote cannot end. */
function short(path: string): string {
  const line = path.replaceAll(/[\s\p{Cc}]+/gu, " ").replaceAll("`", "'");
  return clippedStart(line, MAX_PATH_CHARS);
}
