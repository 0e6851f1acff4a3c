/** What the registry has of a release. It is npm's, or the one that `npm_config_registry` names. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DRIVER_PACKAGE } from "./driver.mjs";
import { HOST_TARGETS, hostPackageOf } from "./pi-host.mjs";
import { runNpm } from "./run-step.mjs";
import { publishedPackages } from "./stage.mjs";
import { packageOf, TARGETS } from "./targets.mjs";

/** The version that all packages share. */
export function versionOf(root) {
  return JSON.parse(readFileSync(join(root, "packages", "natives", "package.json"), "utf8")).version;
}

/** Names of the packages with binaries, which a release publishes first. */
export function binaryNames() {
  return [...TARGETS.map(packageOf), DRIVER_PACKAGE, ...HOST_TARGETS.map(hostPackageOf)];
}

/** Names of everything that a release publishes: the packages with binaries, then the others. */
export function releaseNames(root) {
  const others = publishedPackages(root).map(
    (name) => JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")).name,
  );
  return [...binaryNames(), ...others];
}

/**
 * Whether the registry has a version of a package.
 * @throws Error when it does not answer: that a package is missing is known of an answer only
 */
export function isPublished(root, name, version) {
  try {
    return runNpm(["view", `${name}@${version}`, "version", "--json", "--prefer-online"], root).includes(
      `"${version}"`,
    );
  } catch (error) {
    if (/\bE404\b/.test(String(error))) return false;
    throw error;
  }
}
