/**
 * The path part of an internal URL: decoded, and never leading out of where it belongs.
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { InternalScheme } from "@pi-bash/command";
import { ToolError } from "./tool-error.ts";

/** Layers of percent-encoding that are looked through; no one means more, and a resolver may decode once again. */
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
  if (!isWithin(path, root)) throw traversal(scheme);
  return path;
}

/**
 * The place on the disk of a path that `pathInside` gave: links below `base` are followed, and none may lead out of it.
 * A path without links stays as it is written; one with links becomes what they lead to, so that exchanging them later
 * changes nothing. Throws `ToolError`.
 */
export async function placeInside(base: string, path: string, scheme: InternalScheme): Promise<string> {
  const root = resolve(base);
  const realRoot = await realPath(root);
  // Nothing is there yet, so nothing leads out.
  if (realRoot === undefined) return path;
  const missing: string[] = [];
  let written = path;
  let real = await realPath(written);
  while (real === undefined) {
    // A link to what is not there: writing would make it, wherever it is.
    if (await isLink(written)) throw leadsOut(scheme);
    missing.unshift(basename(written));
    written = dirname(written);
    real = await realPath(written);
  }
  if (!isWithin(real, realRoot)) throw leadsOut(scheme);
  return real === join(realRoot, relative(root, written)) ? path : join(real, ...missing);
}

async function realPath(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    // A file where a folder should be on the way: the path is not there either.
    if (error instanceof Error && "code" in error && /^(?:ENOENT|ENOTDIR)$/.test(String(error.code))) return undefined;
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
}

function isWithin(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function leadsOut(scheme: InternalScheme): ToolError {
  return new ToolError(`Path traversal is not allowed in ${scheme}:// URLs: a link leads out of their folder`);
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
