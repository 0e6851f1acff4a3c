/**
 * The binaries that other machines have built, in `build/binaries`: a folder for each target, one for the bash driver, and one
 * for `pi-host`.
 *
 * A release has all of them. One that is missing would be a package that `@pi-bash/natives` offers and the registry does not
 * have, and Yarn installs nothing then; a driver that is missing would be an architecture whose sessions fall back in
 * silence, and a `pi-host` that is missing one whose machines are refused as places.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { crossBuilt, missingDrivers } from "./driver.mjs";
import { hostsBuilt, missingHosts } from "./pi-host.mjs";
import { TARGETS } from "./targets.mjs";

/**
 * @param {string} folder with the binaries
 * @returns what is packed: targets with the folders of their binaries, drivers with those of their objects, each `pi-host` with
 *   the folder of its files
 * @throws Error that names what is missing
 */
export function binariesOfRelease(folder) {
  const sources = TARGETS.map((target) => ({ target, binaries: join(folder, target.name) }));
  const missing = sources.filter(({ binaries }) => !existsSync(binaries)).map(({ target }) => target.name);
  const absent = [...missing, ...missingDrivers(folder), ...missingHosts(folder)];
  if (absent.length > 0) throw new Error(`no binaries of ${absent.join(", ")}`);
  return { sources, objects: crossBuilt(folder), hosts: hostsBuilt(folder) };
}
