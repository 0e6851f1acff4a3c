/**
 * Writes the JavaScript of a staged package: one file for each of its entries, and the pieces that entries share.
 *
 * The compiler writes a file for each source, and Node reads each of them again at every start: with them put together
 * an import takes half of the time. Names stay, and lines are short enough for a stack trace to point at; blanks and comments go,
 * which are a quarter of it. What a package imports stays an import, but for what `TAKEN_IN` says. See docs/decisions/0006.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { bundledNotices } from "./notices.mjs";

/** About so many characters in a line; esbuild breaks it at the next place where it may. */
const LINE_LIMIT = 120;

/** What `natives` runs of the contract; none of it has a schema. */
const CONTRACT_PIECES = ["abort", "nearest-names", "unknown-option"].map((name) => `packages/contract/dist/${name}.js`);

/**
 * What is put into a package instead of being imported. `dependency` is the one that it replaces; where `stays` is
 * true, types still come from it. `from` are the only places, of the workspace's root, whose files may get in.
 *
 * - zod takes 6.3 MB of an install, and a twentieth of it is used: of the contract, and of what places say to each other.
 * - A few small files are all that `natives` runs of the contract: found and read apart they are a tenth of the import.
 * - The MCP adapter with its SDK, so that `pi-bash mcp` works without one beside it: the SDK takes 8.4 MB.
 */
const TAKEN_IN = {
  contract: { dependency: "zod", stays: false, from: ["node_modules/zod/v4/"] },
  places: { dependency: "zod", stays: false, from: ["node_modules/zod/v4/"] },
  natives: { dependency: "@pi-bash/contract", stays: true, from: CONTRACT_PIECES },
  cli: {
    dependency: "@pi-bash/adapters",
    stays: false,
    from: ["packages/adapters/dist/", "node_modules/@modelcontextprotocol/", "node_modules/zod/"],
  },
};

const NOTICES = "THIRD-PARTY-NOTICES.md";

/**
 * Bundles a package of `packages/` into its staged folder. Its manifest there loses the dependency that was taken in,
 * and gets the licences of whose code it has.
 *
 * @param {string} root folder of the workspace, where the compiler has written every package's `dist`
 * @param {string} name folder name under `packages/`
 * @param {string} folder of the staged package; its manifest is there already
 * @throws Error when code would get in that is not listed, or a path that is relative to a file would change
 */
export function bundlePackage(root, name, folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { dependency, stays = true, from = [] } = TAKEN_IN[name] ?? {};
  const imported = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: entriesOf(manifest).map((entry) => `packages/${name}/${entry}`),
    outbase: `packages/${name}/dist`,
    outdir: join(folder, "dist"),
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    charset: "utf8",
    minifyWhitespace: true,
    lineLimit: LINE_LIMIT,
    external: imported.filter((other) => other !== dependency),
    logLevel: "error",
    metafile: true,
  });
  const own = `packages/${name}/dist/`;
  const foreign = foreignInputs(metafile.outputs, own);
  const unlisted = foreign.filter((path) => !from.some((place) => path.startsWith(place)));
  if (unlisted.length > 0) throw new Error(`\`${unlisted[0]}\` would be put into \`${manifest.name}\`, unasked`);
  requireSameDepth(root, own, join(folder, "dist"), metafile.outputs);
  if (!stays) dropDependency(manifest, dependency);
  const others = packagesOf(root, foreign);
  if (others.length > 0) {
    writeFileSync(join(folder, NOTICES), bundledNotices(others));
    manifest.files = [...manifest.files, NOTICES];
  }
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The JavaScript files that a manifest's `exports` name, as it names them. */
export function entriesOf(manifest) {
  return Object.values(manifest.exports).flatMap((entry) => (typeof entry === "object" ? [entry.default] : []));
}

function dropDependency(manifest, name) {
  const { [name]: _, ...rest } = manifest.dependencies;
  if (Object.keys(rest).length > 0) manifest.dependencies = rest;
  else delete manifest.dependencies;
}

/** Files of others of which anything got in. */
function foreignInputs(outputs, own) {
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const used = inputs.filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && !path.startsWith(own));
  return [...new Set(used.map(([path]) => path))];
}

/** A file that asks where it stands (`../package.json`, `../bin`) has to stand as deep as before. */
function requireSameDepth(root, own, dist, outputs) {
  const depthOf = (path) => path.split(/[/\\]/).length;
  for (const [path, { inputs }] of Object.entries(outputs)) {
    const depth = depthOf(join(root, path).slice(dist.length + 1));
    for (const input of Object.keys(inputs)) {
      if (!input.startsWith(own) || depthOf(input.slice(own.length)) === depth) continue;
      if (readFileSync(join(root, input), "utf8").includes("import.meta"))
        throw new Error(`\`${input}\` asks where it stands, and would get to another depth in \`${path}\``);
    }
  }
}

/** The folders of the packages that files are of, in order. */
function packagesOf(root, paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort().map((folder) => join(root, folder));
}
