/**
 * The licences of what others wrote and our packages contain: crates in the binaries, npm packages in the JavaScript.
 *
 * MIT, BSD and Apache ask that their text goes along with the code; npm packages bring their own, and what is compiled
 * or bundled into ours does not. So each of ours has one file with the texts of all that is in it, of crates from
 * cargo's own registry cache. A text stands there once, below all whose it is: the same few are in most crates, word for
 * word.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright|unlicense)/i;

/** The crates whose binaries are in the package of a target. */
const NATIVE_CRATES = ["pi-natives", "pi-supervisor"];

/** What a static binary has in it besides crates: the C library that Rust links. Its licence asks to be named, too. */
const MUSL = {
  title: "musl, the C library: MIT",
  texts: [readFileSync(fileURLToPath(new URL("musl-licence.txt", import.meta.url)), "utf8").trim()],
};

/** Packages that reach the binaries of crates of ours: what these need at run time, with build scripts and tests left out. */
function linkedPackages(metadata, crates) {
  const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
  const queue = metadata.packages.filter(({ name }) => crates.includes(name)).map(({ id }) => id);
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

/** The text of `THIRD-PARTY-NOTICES.md` for the package of one Rust target. The supervisor of a Linux is static. */
export function thirdPartyNotices(root, triple) {
  const crates = cratesOf(root, triple, NATIVE_CRATES);
  return triple.includes("-linux-")
    ? noticesText("The binaries in this package contain these crates, and a C library.", [...crates, MUSL])
    : noticesText("The binaries in this package contain these crates.", crates);
}

/** The text of `THIRD-PARTY-NOTICES.md` for a package with `pi-host`. */
export function hostNotices(root, triple) {
  const owners = [...cratesOf(root, triple, ["pi-host"]), MUSL];
  return noticesText("The program in this package contains these crates, and a C library.", owners);
}

/** The crates of others that the binaries of ours contain on a target, as `noticesText` takes them. */
function cratesOf(root, triple, crates) {
  const json = execFileSync("cargo", ["metadata", "--locked", "--format-version", "1", "--filter-platform", triple], {
    cwd: root,
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return linkedPackages(JSON.parse(json.toString("utf8")), crates)
    .sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
    .map(({ name, version, license, manifest_path: manifest }) => ({
      title: `${name} ${version}: ${license ?? "see its text"}`,
      texts: licenceTexts(manifest),
    }));
}

/** The text of `THIRD-PARTY-NOTICES.md` for a package whose files contain code of npm packages. */
export function bundledNotices(folders) {
  const owners = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const texts = licenceTexts(join(folder, "package.json"));
    if (texts.length === 0) throw new Error(`\`${name}\` would be put into a package and has no licence file`);
    return { title: `${name} ${version}: ${license}`, texts };
  });
  return noticesText("The files in `dist` contain code of these packages.", owners);
}

/**
 * The page of notices: whose code there is, and each licence text with those whose it is.
 *
 * @param {string} what a sentence that says of what the list is
 * @param {Array<{ title: string, texts: string[] }>} owners in the order in which they are listed
 */
export function noticesText(what, owners) {
  const list = owners.map(({ title }) => `- ${title}\n`).join("");
  const titlesByText = new Map();
  for (const { title, texts } of owners)
    for (const text of texts) titlesByText.set(text, [...(titlesByText.get(text) ?? []), title]);
  const sections = [...titlesByText].map(
    ([text, titles]) => `${titles.map((title) => `- ${title}\n`).join("")}\n~~~text\n${text}\n~~~\n`,
  );
  return `# Third-party notices\n\n${what}\n\n${list}\n## Texts\n\n${sections.join("\n")}`;
}
