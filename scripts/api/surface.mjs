/**
 * The public surface, read from the sources: what each entry of each package exports.
 *
 * By the API that TypeScript 7 brings: typedoc and api-extractor need the compiler of TypeScript 6 or older. The API is
 * called unstable by its makers and is pinned with the compiler; only this folder uses it.
 */
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { API, SymbolFlags } from "typescript/unstable/sync";
import { declarationOf, docOf } from "./declaration.mjs";
import { publicPackages } from "./entries.mjs";

const project = fileURLToPath(new URL("tsconfig.json", import.meta.url));

/**
 * @param {string} root the checkout
 * @returns the packages of `publicPackages`, each entry with its `exports`: name, kind, doc text, TypeScript text, the
 *   file it stands in and the folder of the package which that is
 */
export function readSurface(root) {
  const api = new API({ cwd: root });
  try {
    const opened = api.updateSnapshot({ openProjects: [project] }).getProject(project);
    if (opened === undefined) throw new Error(`TypeScript did not open \`${project}\``);
    return publicPackages(root).map((found) => ({
      ...found,
      entries: found.entries.map((entry) => ({ ...entry, exports: exportsOf(opened, root, entry) })),
    }));
  } finally {
    api.close();
  }
}

function exportsOf({ program, checker }, root, entry) {
  const file = program.getSourceFile(entry.source);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`\`${entry.name}\` has no module at \`${entry.source}\``);
  return checker
    .getExportsOfModule(module)
    .map((exported) => {
      const symbol = exported.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const nodes = symbol.declarations.map((declaration) => declaration.resolve());
      const source = relative(root, nodes[0].getSourceFile().fileName).replaceAll("\\", "/");
      const folder = /^packages\/([^/]+)\//.exec(source)?.[1] ?? "";
      return { name: exported.name, source, folder, doc: docOf(nodes), ...declarationOf(checker, symbol, nodes) };
    })
    .sort((one, other) => compare(one.name.toLowerCase(), other.name.toLowerCase()) || compare(one.name, other.name));
}

/** By code units: a locale would order them otherwise on another machine. */
function compare(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}
