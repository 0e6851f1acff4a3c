/**
 * Proves that an install opens places: it has the `pi-host` of every processor that was packed, whatever its own is, and a
 * command runs on a place that this very file serves.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { digestOf, HOST_TARGETS, hostFileOf, hostPackageOf, isHostTarball, ownHost } from "./pi-host.mjs";
import { startOf } from "./project.mjs";
import { runStep } from "./run-step.mjs";

/** The bash of a session is a child of its supervisor, which is the same file as `pi-host`. */
const WHAT_SERVES = 'echo "$((6 * 7))"; sha256sum < "/proc/$PPID/exe"';

/**
 * In a project where the tarballs were installed. Returns lines for the report.
 *
 * @throws Error when a packed `pi-host` is not found as `@pi-bash/places` looks for it, when it is not the file that was
 *   built, and on Linux when a place does not run it
 */
export function verifyPlaces(project, tarballs) {
  const packed = HOST_TARGETS.filter((host) => tarballs.some((path) => isHostTarball(path, host)));
  const { resolve } = createRequire(join(project, "node_modules", "@pi-bash", "places", "dist", "index.js"));
  const digests = new Map(packed.map((host) => [host, digestIn(resolve, host)]));
  const found = `pi-host for places: ${packed.map(({ name }) => name).join(", ") || "none was packed"}`;
  const own = ownHost();
  if (own === undefined) return [found];
  const expected = digests.get(own);
  if (expected === undefined) throw new Error(`there is no tarball of ${hostPackageOf(own)}`);
  const served = runOnPlace(project);
  if (!served.includes(expected)) throw new Error(`the place was to run the file ${expected}, and printed:\n${served}`);
  return [found, "a command on a place of `command:env`, served by that file: ok"];
}

function digestIn(resolve, host) {
  const path = resolve(hostPackageOf(host));
  const digest = digestOf(readFileSync(path));
  if (readFileSync(`${path}.sha256`, "utf8") !== `${digest}  ${hostFileOf(host)}\n`)
    throw new Error(`\`${path}\` is not the file that its \`.sha256\` is of`);
  return digest;
}

/** Runs a command on a place of this machine that has no `pi-host` yet; returns what it printed. */
function runOnPlace(project) {
  const home = join(project, "home-of-the-place");
  mkdirSync(home, { mode: 0o700 });
  const { XDG_CACHE_HOME: _, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, PI_HOST_CACHE: join(home, "hosts") };
  const [command, ...words] = startOf(project);
  const printed = runStep(command, [...words, "run", "--on", "command:env", WHAT_SERVES], project, { env });
  if (!/^42$/m.test(printed)) throw new Error(`a command on a place printed:\n${printed}`);
  return printed;
}
