/**
 * The path part of an internal URL: decoded, and never leading out of where it belongs.
 */
import { join, resolve, sep } from "node:path";
import type { InternalScheme } from "@pi-bash/command";
import { ToolError } from "./tool-error.ts";

/** Layers of percent-encoding that are looked through; nobody means more, and a resolver may decode once again. */
const MAX_DECODINGS = 5;

/** Refuses `..` as a segment, NUL, and absolute paths, however often they are encoded. */
export function refuseTraversal(rest: string, scheme: InternalScheme): void {
  let text = rest;
  for (let round = 0; round < MAX_DECODINGS; round++) {
    if (climbs(text)) throw traversal(scheme);
    const decoded = leniently(text);
    if (decoded === text) return;
    text = decoded;
  }
  throw traversal(scheme);
}

/** The segments of a path, decoded once; empty ones are dropped. */
export function decodePath(path: string, url: string, scheme: InternalScheme): string[] {
  try {
    return path
      .split("/")
      .filter((segment) => segment !== "")
      .map((segment) => decodeURIComponent(segment));
  } catch (error) {
    throw new ToolError(
      `Failed to resolve ${scheme}:// URL in bash command: ${url}\nIts percent-encoding is not valid.`,
      { cause: error },
    );
  }
}

/** The path of `segments` in `base`; whatever they hold, it does not lead out of there. */
export function pathInside(base: string, segments: readonly string[], scheme: InternalScheme): string {
  const root = resolve(base);
  // `join`, because an encoded slash may have made a segment absolute.
  const path = join(root, ...segments);
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep)) throw traversal(scheme);
  return path;
}

function traversal(scheme: InternalScheme): ToolError {
  return new ToolError(`Path traversal is not allowed in ${scheme}:// URLs`);
}

function climbs(text: string): boolean {
  if (text.includes("\0")) return true;
  // `local:///x`: an empty name before the path makes it absolute. A query is no path.
  const path = text.split("?")[0] ?? "";
  return path.startsWith("/") || path.split(/[/\\:]/).includes("..");
}

/** Decodes what can be decoded; a lone `%` stays. */
function leniently(text: string): string {
  return text.replaceAll(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}
