/**
 * The lines about the sandbox of a command: what it refused or may have refused, with what can be done about it, and what
 * is left behind that a program outside will obey.
 *
 * "May have" stands where a hint is all there is: it comes from what the command printed
 * (`packages/executor/src/refusals.ts`). What the proxy of the sandbox refused is known.
 */

import type { SandboxOutcome, SandboxPlantKind, SandboxRefusalKind } from "@pi-bash/contract";
import { clippedStart } from "@pi-bash/contract/internal/text";
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
  return sandbox === undefined ? [] : [...recordLine(sandbox), ...hintLine(sandbox), ...plantLine(sandbox)];
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

function hintLine(sandbox: SandboxOutcome): string[] {
  const hints = (sandbox.refusals ?? []).filter(({ target }) => target === undefined);
  if (hints.length === 0) return [];
  const remedies = new Set(hints.slice(-MAX_NAMED).map(({ kind }) => remedyOf(kind, sandbox)));
  const where = `${sandbox.mode}, ${sandbox.backend}`;
  return [`The sandbox (${where}) may have refused: ${refusalWords(hints)}. ${[...remedies].join(" ")}`];
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

/** What the proxy refused: its own record, and not only what a program printed. */
function recordLine({ mode, backend, refusals = [] }: SandboxOutcome): string[] {
  const records = refusals.filter(({ target }) => target !== undefined);
  if (records.length === 0) return [];
  const named = records.slice(0, MAX_NAMED);
  const what = named.map(({ evidence }) => oneLine(evidence));
  const more = records.length > MAX_NAMED ? `; and ${records.length - MAX_NAMED} more` : "";
  const rules = [...new Set(named.flatMap(({ rule }) => (rule === undefined ? [] : [`\`${short(rule)}\``])))];
  const remedy =
    rules.length === 0
      ? "No rule of `sandbox.network` can allow that."
      : `The user can add ${rules.join(", ")} to \`sandbox.network.allow\`.`;
  return [`The sandbox (${mode}, ${backend}) refused: ${what.join("; ")}${more}. ${remedy}`];
}

function remedyOf(kind: SandboxRefusalKind, { mode, network }: SandboxOutcome): string {
  if (kind === "network" && typeof network === "object") {
    return "Hosts that `sandbox.network` allows are reached through the proxy that `$HTTPS_PROXY` names, and nothing else is.";
  }
  if (kind === "network") return "It has no network but its own loopback; the user can set `sandbox.network`.";
  if (kind === "protected-path") return "This path stays read-only; leave the change to the user.";
  if (kind !== "read-only-path") return "No setting of the sandbox allows that; leave it to the user.";
  return mode === "read-only"
    ? "Only `$TMPDIR` can be written; the user can set `sandboxMode` to `workspace-write`."
    : "Write in the workspace or `$TMPDIR`; the user can add to `sandbox.writablePaths`.";
}

/** The path on one line, which its own quote cannot end. */
function short(path: string): string {
  return clippedStart(oneLine(path).replaceAll("`", "'"), MAX_PATH_CHARS);
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}
