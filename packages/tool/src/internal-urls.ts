/**
 * Turns internal URLs into paths: in a command line quoted for the shell, in `env` and `cwd` as they are.
 *
 * Only whole words of a command count (see `@pi-bash/command`), so prose that mentions a URL stays prose. What a path
 * may be is decided here for every scheme: `..` in any encoding is refused before anyone resolves it. Skills and local
 * files are looked up here, artifacts in the executor's store; all other schemes are the router's of the host.
 */
import { dirname, resolve } from "node:path";
import { analyzeCommand, type InternalScheme } from "@pi-bash/command";
import { INTERNAL_SCHEMES, parseInternalUrl, singleQuoted } from "@pi-bash/command/internal";
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import type { ArtifactStore } from "@pi-bash/executor";
import { makeFolders } from "@pi-bash/executor/internal";
import { resolveSkillPath, type Skill } from "./skill-url.ts";
import { ToolError } from "./tool-error.ts";
import { decodePath, pathInside, placeInside, refuseTraversal } from "./url-path.ts";

/** Most time that a router may take for one URL, in milliseconds. */
const ROUTER_BOUND_MS = 30_000;

/** Resolves the schemes that only the host knows. */
export interface InternalUrlRouter {
  canHandle(url: string): boolean;
  /** `sourcePath`: the file behind the URL; absent where there is none. */
  resolve(url: string): Promise<{ sourcePath?: string | undefined }>;
}

/** Where the URLs of a session lead. */
export interface InternalUrlSources {
  skills?: readonly Skill[];
  /** Folder of `local://`, absolute. */
  localRoot?: string;
  /** Asked first for every scheme but `skill` and `local`. */
  router?: InternalUrlRouter;
}

/** Where internal URLs are looked up. */
export interface ExpansionOptions {
  sources: InternalUrlSources;
  artifacts?: Pick<ArtifactStore, "get" | "list"> | undefined;
  /** Makes the folder of a `local://` path, so that a command can write there. */
  ensureLocalParentDirs?: boolean;
}

/** The command with each URL word replaced by its path, quoted as one word. Throws `ToolError`. */
export async function expandInternalUrls(command: string, options: ExpansionOptions): Promise<string> {
  let expanded = command;
  // From the end, so that the places of the earlier ones stay right.
  for (const { url, scheme, span } of [...analyzeCommand(command).urls].reverse()) {
    const path = await toPath(url, scheme, "file", options);
    expanded = expanded.slice(0, span.start) + singleQuoted(path) + expanded.slice(span.end);
  }
  return expanded;
}

/** A value of `env`: its path where all of it is a URL, itself otherwise. */
export async function expandEnvValue(value: string, options: ExpansionOptions): Promise<string> {
  const found = parseInternalUrl(value);
  return found === undefined ? value : toPath(found.url, found.scheme, "file", options);
}

/** A `cwd`: a skill's URL without a path is its folder; other protocols are no directories. */
export async function expandCwd(cwd: string, options: ExpansionOptions): Promise<string> {
  const found = parseInternalUrl(cwd);
  if (found !== undefined) return toPath(found.url, found.scheme, "folder", options);
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(cwd)) {
    throw new ToolError(
      `Unsupported internal URL in bash command: ${cwd}\nSupported schemes: ${INTERNAL_SCHEMES.join(", ")}`,
    );
  }
  return cwd;
}

async function toPath(
  url: string,
  scheme: InternalScheme,
  wanted: "file" | "folder",
  options: ExpansionOptions,
): Promise<string> {
  const rest = url.slice(`${scheme}://`.length);
  refuseTraversal(rest, scheme);
  const { sources } = options;
  switch (scheme) {
    case "skill":
      return resolveSkillPath(url, rest, sources.skills ?? [], wanted);
    case "local": {
      const path = await localPath(url, rest, sources.localRoot);
      if (!options.ensureLocalParentDirs) return path;
      await makeFolder(url, wanted === "folder" ? path : dirname(path));
      // Looked at once more: what was made may have been made behind a link that came in between.
      return localPath(url, rest, sources.localRoot);
    }
    case "artifact":
      if (sources.router?.canHandle(url) !== true && options.artifacts !== undefined) {
        return artifactPath(url, rest, options.artifacts);
      }
      return routed(url, scheme, sources.router);
    default:
      return routed(url, scheme, sources.router);
  }
}

async function localPath(url: string, rest: string, root: string | undefined): Promise<string> {
  if (root === undefined) throw unavailable(url, "local");
  const path = pathInside(root, decodePath(rest, url, "local"), "local");
  try {
    return await placeInside(root, path, "local");
  } catch (error) {
    throw error instanceof ToolError ? error : failed(url, "local", error);
  }
}

async function makeFolder(url: string, folder: string): Promise<void> {
  try {
    await makeFolders(folder, 0o777);
  } catch (error) {
    throw failed(url, "local", error);
  }
}

async function artifactPath(url: string, id: string, artifacts: Pick<ArtifactStore, "get" | "list">): Promise<string> {
  // A range or a search is text that no file holds.
  if (/[:?]/.test(id)) throw pathless(url, "artifact");
  const entry = await artifacts.get(id).catch((error: unknown) => {
    throw failed(url, "artifact", error);
  });
  if (entry !== undefined) return entry.path;
  const ids = (await artifacts.list()).slice(-20).map((each) => each.id);
  throw failed(
    url,
    "artifact",
    new Error(`Artifact ${id} not found. Available: ${ids.length === 0 ? "none" : ids.join(", ")}`),
  );
}

async function routed(url: string, scheme: InternalScheme, router: InternalUrlRouter | undefined): Promise<string> {
  if (router?.canHandle(url) !== true) throw unavailable(url, scheme);
  const waited = await waitAtMost(() => router.resolve(url), ROUTER_BOUND_MS);
  if (waited.kind === "error") throw failed(url, scheme, waited.error);
  if (waited.kind !== "value") throw failed(url, scheme, new Error("The router did not answer in time."));
  const { sourcePath } = waited.value;
  if (sourcePath === undefined || sourcePath === "") throw pathless(url, scheme);
  return resolve(sourcePath);
}

function unavailable(url: string, scheme: InternalScheme): ToolError {
  return new ToolError(
    `Cannot resolve ${scheme}:// URL in bash command: ${url}\n` +
      "Internal URL router is unavailable for this protocol in the current session.",
  );
}

function failed(url: string, scheme: InternalScheme, error: unknown): ToolError {
  const reason = error instanceof Error ? error.message : String(error);
  return new ToolError(`Failed to resolve ${scheme}:// URL in bash command: ${url}\n${reason}`, { cause: error });
}

function pathless(url: string, scheme: InternalScheme): ToolError {
  return new ToolError(`${scheme}:// URL resolved without a filesystem path and cannot be used in bash: ${url}`);
}
