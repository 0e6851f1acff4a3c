/**
 * The licences of the crates that are compiled into the addon and the supervisor.
 *
 * MIT, BSD and Apache ask that their text goes along with a binary; npm packages bring their own, crates do not. So
 * each platform package has one file with the licence text of every crate in it, found in cargo's own registry cache.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright|unlicense)/i;

/** Packages that reach the binaries: what our two crates need at run time, with build scripts and tests left out. */
function linkedPackages(metadata) {
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const queue = metadata.packages
    .filter(({ name }) => name === "pi-natives" || name === "pi-supervisor")
    .map(({ id }) => id);
  const seen = new Set(queue);
  for (const id of queue) {
    for (const { pkg, dep_kinds: kinds } of nodes.get(id)?.deps ?? []) {
      if (seen.has(pkg) || kinds.every(({ kind }) => kind !== null)) continue;
      seen.add(pkg);
      queue.push(pkg);
    }
  }
  return metadata.packages.filter(({ id, source }) => seen.has(id) && source !== null);
}

function licenceTexts(manifestPath) {
  const folder = dirname(manifestPath);
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && LICENCE_FILE.test(entry.name),
  );
  return files.map(({ name }) => readFileSync(join(folder, name), "utf8").trim());
}

/** The text of `THIRD-PARTY-NOTICES.md` for one Rust target. */
export function thirdPartyNotices(root, triple) {
  const json = execFileSync("cargo", ["metadata", "--locked", "--format-version", "1", "--filter-platform", triple], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packages = linkedPackages(JSON.parse(json.toString("utf8")));
  const sections = packages
    .sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
    .map(({ name, version, license, manifest_path: manifest }) => {
      const texts = licenceTexts(manifest);
      const fences = texts.map((text) => `~~~text\n${text}\n~~~`);
      return [`## ${name} ${version}`, `Licence: ${license ?? "see below"}`, ...fences].join("\n\n");
    });
  return `# Third-party notices\n\nThe binaries in this package contain these crates.\n\n${sections.join("\n\n")}\n`;
}
