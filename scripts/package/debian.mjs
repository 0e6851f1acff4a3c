/**
 * Files of Debian packages, of any architecture, without installing them.
 *
 * apt works on a folder of its own for its lists: neither the machine's sources nor its packages are touched. Debian's
 * keyring is what makes the files trusted, so a system without it gets none.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runStep } from "./run-step.mjs";

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** The release that is asked. Its musl knows the relocations that today's linkers write, which that of 12 does not. */
const RELEASE = "trixie";

/** Why no package can be had here; undefined where it can. */
export function whyNoDebianFiles() {
  return existsSync(KEYRING) ? undefined : `needs Debian's keyring (\`${KEYRING}\`)`;
}

/** An apt configuration that stays in `folder`, with the lists that go with it. */
function privateApt(folder) {
  const config = join(folder, "apt.conf");
  if (existsSync(config)) return config;
  for (const part of ["state/lists/partial", "cache/archives/partial"])
    mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, "status"), "");
  writeFileSync(
    join(folder, "sources.list"),
    `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${RELEASE} main\n`,
  );
  const settings = `Dir::Etc::sourcelist "${folder}/sources.list";
Dir::Etc::sourceparts "-";
Dir::State "${folder}/state";
Dir::State::status "${folder}/status";
Dir::Cache "${folder}/cache";
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
`;
  const unfinished = join(folder, "unfinished.conf");
  writeFileSync(unfinished, settings);
  runStep("apt-get", ["update"], folder, { env: { ...process.env, APT_CONFIG: unfinished } });
  // Last, so that a list that did not come is asked for again.
  writeFileSync(config, settings);
  return config;
}

/**
 * Unpacks a package into a folder of its own and returns that folder.
 * @param {string} name the package and its architecture, e.g. `musl:arm64`
 * @param {string[]} [only] paths of the files that are wanted, e.g. `./usr/bin/qemu-aarch64`; all unless given
 */
export function unpackDebian(root, name, only) {
  const apt = join(root, "build", "tools", "apt");
  const to = join(root, "build", "tools", "debian", name.replace(":", "-"));
  if (existsSync(join(to, "usr"))) return to;
  mkdirSync(apt, { recursive: true });
  mkdirSync(to, { recursive: true });
  const env = { ...process.env, APT_CONFIG: privateApt(apt) };
  runStep("apt-get", ["download", name], to, { env });
  const file = readdirSync(to).find((entry) => entry.endsWith(".deb"));
  if (file === undefined) throw new Error(`apt-get downloaded no \`${name}\``);
  const deb = join(to, file);
  if (only === undefined) runStep("dpkg", ["-x", deb, to], to);
  else runStep("sh", ["-c", 'dpkg --fsys-tarfile "$0" | tar -x "$@"', deb, ...only], to);
  rmSync(deb);
  return to;
}
