/**
 * Lays out what is published: a folder for each npm package, with the manifest as the registry is to see it.
 *
 * The manifests in `packages/` serve the workspace. What differs in the published ones is made here and nowhere else:
 * exact versions of our own packages (they are released together), the packages with binaries as optional dependencies of
 * those that load them, no `pi-source` condition (sources are not shipped), a licence file; one file of JavaScript for each
 * entry (`bundle.mjs`), the declarations that entries reach (`declarations.mjs`) and the documents that are named
 * (`documents.mjs`).
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { NAPI_CONFIG } from "../native/napi-build.mjs";
import { bundlePackage } from "./bundle.mjs";
import { copyDeclarations } from "./declarations.mjs";
import { copyDocuments } from "./documents.mjs";
import { DRIVER_FOLDER, DRIVER_PACKAGE, objectOf } from "./driver.mjs";
import { hostNotices, thirdPartyNotices } from "./notices.mjs";
import { HOST_TARGETS, hostFileOf, hostFilesOf, hostPackageOf } from "./pi-host.mjs";
import { runStep } from "./run-step.mjs";
import { addonOf, packageOf, supervisorOf, TARGETS } from "./targets.mjs";

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** Where the types of a package name zod's own, these go along: zod itself does not. */
const WITH_ZOD = ["contract", "places"];

/** What a package's `optionalDependencies` are to have: packages with binaries, without which it is there in part. */
const OFFERED = {
  "@pi-bash/natives": [...TARGETS.map(packageOf), DRIVER_PACKAGE],
  "@pi-bash/places": HOST_TARGETS.map(hostPackageOf),
};

/** Folder names under `packages/` of all that is published, which is everything that is not marked private. */
export function publishedPackages(root) {
  return readdirSync(join(root, "packages")).filter((name) => {
    const manifest = join(root, "packages", name, "package.json");
    return existsSync(manifest) && readJson(manifest).private !== true;
  });
}

function withoutSources(entry) {
  if (typeof entry !== "object" || entry === null) return entry;
  return Object.fromEntries(
    Object.entries(entry)
      .filter(([condition]) => condition !== "pi-source")
      .map(([condition, value]) => [condition, withoutSources(value)]),
  );
}

/** A workspace manifest as the registry is to see it. */
export function publishedManifest(manifest) {
  const exact = (dependencies) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([name, range]) => [
        name,
        name.startsWith("@pi-bash/") ? manifest.version : range,
      ]),
    );
  const { devDependencies: _, scripts: __, ...kept } = manifest;
  const published = { ...kept, exports: { ...withoutSources(manifest.exports), "./package.json": "./package.json" } };
  if (manifest.dependencies) published.dependencies = exact(manifest.dependencies);
  const offered = OFFERED[manifest.name];
  if (offered) published.optionalDependencies = Object.fromEntries(offered.map((name) => [name, manifest.version]));
  return published;
}

/** Address of the repository, as a browser opens it. */
function repositoryOf({ repository }) {
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** Stages one package of `packages/`, of what the compiler wrote into its `dist`; returns its folder. */
export function stagePackage(root, staging, name) {
  const from = join(root, "packages", name);
  const to = join(staging, name);
  const manifest = readJson(join(from, "package.json"));
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const entry of manifest.files.filter((file) => file !== "dist"))
    cpSync(join(from, entry), join(to, entry), { recursive: true });
  const documents = copyDocuments(root, `packages/${name}`, to, repositoryOf(manifest));
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"));
  const published = publishedManifest(manifest);
  writeJson(join(to, "package.json"), { ...published, files: [...published.files, ...documents] });
  const declarations = Object.values(manifest.exports).map(({ types }) => types);
  copyDeclarations(from, to, declarations, WITH_ZOD.includes(name) ? join(root, "node_modules", "zod") : undefined);
  bundlePackage(root, name, to);
  return to;
}

/**
 * The manifest of a target's package as `napi create-npm-dirs` writes it: name, version, `os`, `cpu`, `libc`, `main`.
 * napi makes those of all targets, in a folder with a copy of the manifest that they belong to.
 */
function napiManifest(root, target) {
  const folder = mkdtempSync(join(tmpdir(), "pi-bash-npm-"));
  try {
    copyFileSync(join(root, "packages", "natives", "package.json"), join(folder, "package.json"));
    const napi = join(root, "node_modules", "@napi-rs", "cli", "dist", "cli.js");
    runStep(process.execPath, [napi, "create-npm-dirs", "--config-path", join(root, NAPI_CONFIG)], folder);
    return readJson(join(folder, "npm", target.name, "package.json"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Stages the package of the bash driver; returns its folder. Systems get it for which it has an object.
 *
 * @param {Array<{ driver: import("./driver.mjs").DriverTarget, folder: string }>} objects each with the folder of its object
 */
export function stageDriver(root, staging, objects) {
  const from = join(root, DRIVER_FOLDER);
  const to = join(staging, DRIVER_FOLDER);
  const manifest = readJson(join(from, "package.json"));
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const entry of manifest.files.filter((file) => file !== "bin"))
    cpSync(join(from, entry), join(to, entry), { recursive: true });
  for (const { driver, folder } of objects) {
    mkdirSync(join(to, "bin", driver.name), { recursive: true });
    copyFileSync(join(folder, basename(objectOf(driver))), join(to, objectOf(driver)));
    // What an artifact of a workflow went through keeps no modes. An object is read, not run.
    chmodSync(join(to, objectOf(driver)), 0o644);
  }
  const documents = copyDocuments(root, DRIVER_FOLDER, to, repositoryOf(manifest));
  // Its own, not the workspace's: with it goes the notice of what the object becomes a part of.
  copyFileSync(join(from, "LICENSE"), join(to, "LICENSE"));
  const entries = objects.map(({ driver }) => [`./${driver.name}`, `./${objectOf(driver)}`]);
  writeJson(join(to, "package.json"), {
    ...publishedManifest({ ...manifest, exports: Object.fromEntries(entries) }),
    os: ["linux"],
    cpu: objects.map(({ driver }) => driver.cpu),
    files: [...manifest.files, ...documents],
    // Yarn's zip archives cannot hold what `dlopen` is to open.
    preferUnplugged: true,
  });
  return to;
}

/** Stages the prebuilt package of a target from a folder with its two binaries; returns its folder. */
export function stageTarget(root, staging, target, binaries) {
  const to = join(staging, `natives-${target.name}`);
  const files = [addonOf(target), supervisorOf(target)];
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const file of files) {
    copyFileSync(join(binaries, file), join(to, file));
    // What an artifact of a workflow went through keeps no modes.
    chmodSync(join(to, file), 0o755);
  }
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"));
  writeFileSync(join(to, "THIRD-PARTY-NOTICES.md"), thirdPartyNotices(root, target.triple));
  writeFileSync(
    join(to, "README.md"),
    `# ${packageOf(target)}\n\nThe native half of \`@pi-bash/natives\` for \`${target.triple}\`. Installed by it, not by hand.\n`,
  );
  const manifest = napiManifest(root, target);
  if (manifest.name !== packageOf(target)) throw new Error(`napi calls \`${packageOf(target)}\` \`${manifest.name}\``);
  writeJson(join(to, "package.json"), {
    ...manifest,
    description: `The native half of @pi-bash/natives for ${target.name}`,
    // napi knows of the addon only.
    files: [...files, "THIRD-PARTY-NOTICES.md"],
    // Yarn's zip archives cannot hold what `dlopen` and `execve` are to open.
    preferUnplugged: true,
  });
  return to;
}

/**
 * Stages the package of a `pi-host` from a folder with its files; returns its folder.
 *
 * It has neither `os` nor `cpu`, by which npm would keep it from every machine but those that can run it: who needs it is a
 * machine that opens a place, whatever that machine is.
 */
export function stageHost(root, staging, host, binaries) {
  const to = join(staging, `host-${host.name}`);
  const name = hostPackageOf(host);
  const files = hostFilesOf(host);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const file of files) {
    copyFileSync(join(binaries, file), join(to, file));
    // What an artifact of a workflow went through keeps no modes.
    chmodSync(join(to, file), file === hostFileOf(host) ? 0o755 : 0o644);
  }
  copyFileSync(join(root, "LICENSE"), join(to, "LICENSE"));
  writeFileSync(join(to, "THIRD-PARTY-NOTICES.md"), hostNotices(root, host.triple));
  writeFileSync(
    join(to, "README.md"),
    `# ${name}\n\n\`pi-host\`, one static file for \`${host.triple}\`, which \`@pi-bash/places\` sends to places with that processor.\nInstalled by it, on every system, and not by hand. \`sha256sum -c ${hostFileOf(host)}.sha256\` checks the file.\n`,
  );
  const { version, license, repository, engines } = readJson(join(root, "packages", "places", "package.json"));
  writeJson(join(to, "package.json"), {
    name,
    version,
    description: `The program that @pi-bash/places sends to ${host.name}`,
    license,
    repository,
    engines,
    main: hostFileOf(host),
    files: [...files, "THIRD-PARTY-NOTICES.md"],
    // A place where it cannot be sent gets it by hand, as a file and not out of one of Yarn's zip archives.
    preferUnplugged: true,
  });
  return to;
}
