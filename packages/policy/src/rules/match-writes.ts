/**
 * Matches rules about files that a redirection writes, `Write(PATH)`.
 */
import { posix } from "node:path";
import type { Redirection } from "@pi-bash/command";
import type { Pattern } from "./rule.ts";

type WritePattern = Extract<Pattern, { kind: "write" }>;

/** How strongly a rule about a path concerns a redirection. */
export function writeConcerns(
  pattern: WritePattern,
  redirection: Redirection,
  cwd: string | undefined,
): "yes" | "maybe" | "no" {
  if (redirection.operator.startsWith("<") && redirection.operator !== "<>") return "no";
  const target = redirection.target?.value ?? null;
  if (target === null) return "maybe";
  if (/^[<>]&$/.test(redirection.operator) && /^(?:\d+-?|-)$/.test(target)) return "no";
  if (cwd === undefined && (pattern.relative || !target.startsWith("/"))) return "maybe";
  return matchesPath(pattern, posix.resolve(cwd ?? "/", target), cwd ?? "/") ? "yes" : "no";
}

/** A relative pattern never reaches out of the folder it is relative to. */
function matchesPath({ pattern, relative }: WritePattern, path: string, cwd: string): boolean {
  if (!relative) return pattern.test(path);
  const below = posix.relative(cwd, path);
  return !/^\.\.(?:\/|$)/.test(below) && pattern.test(below);
}
