/**
 * Puts the MCP server into the published `pi-bash` program, so that `pi-bash mcp` works without an SDK beside it.
 *
 * The SDK has 8.4 MB installed, for every system, with both module formats and their maps; what the program uses of it is
 * a file of a few hundred KB. So the adapter and its SDK go into one file, what it shares with the rest (our packages,
 * zod) stays outside, and the manifest no longer asks for the SDK. The only bundle there is, see docs/decisions/0006.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const ADAPTER = "@pi-bash/adapters";
const SDK = "@modelcontextprotocol/server";
/** A file beside the program's own, and what names it in `commands/mcp.js`. */
const BUNDLE = "mcp-adapter.js";

/** Bundles into the staged `cli` package and rewrites its files and manifest to match. */
export function bundleMcp(root, folder) {
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: [join(root, "packages", "adapters", "dist", "mcp", "index.js")],
    outfile: join(folder, "dist", BUNDLE),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["@pi-bash/*", "zod", "zod/*"],
    logLevel: "error",
    metafile: true,
  });
  const command = join(folder, "dist", "commands", "mcp.js");
  const source = readFileSync(command, "utf8");
  const parts = source.split(`"${ADAPTER}/mcp"`);
  if (parts.length !== 2)
    throw new Error(`\`${command}\` imports \`${ADAPTER}/mcp\` ${parts.length - 1} times, not once`);
  writeFileSync(command, parts.join(`"../${BUNDLE}"`));
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.md"), notices(root, Object.keys(metafile.inputs)));
  rewriteManifest(root, join(folder, "package.json"));
}

function rewriteManifest(root, path) {
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  const { [ADAPTER]: _, [SDK]: __, ...dependencies } = manifest.dependencies;
  const contract = JSON.parse(readFileSync(join(root, "packages", "contract", "package.json"), "utf8"));
  dependencies.zod = contract.dependencies.zod;
  const files = [...manifest.files, "THIRD-PARTY-NOTICES.md"];
  writeFileSync(path, `${JSON.stringify({ ...manifest, dependencies, files }, null, 2)}\n`);
}

/** The licences of the packages whose files are in the bundle. */
function notices(root, inputs) {
  const names = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  const sections = [...names].sort().map((name) => {
    const folder = join(root, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`\`${name}\` is in the bundle and has no licence file`);
    return `## ${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return `# Notices\n\n\`dist/${BUNDLE}\` has code of these packages in it.\n\n${sections.join("\n")}`;
}
