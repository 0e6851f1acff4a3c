/**
 * Copies the declarations of a staged package: those that its entries reach, with zod's own among them.
 *
 * The published contract and places have zod in them (see `bundle.mjs`), and their types speak of zod's. So the declarations of zod that
 * they reach are copied as they are, below `dist/zod`, and named there instead of by the name of a package.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** What a declaration names: `from "x"`, `import "x"`, `import("x")`. */
const SPECIFIER = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"'\n]+)\2/g;

/** What the name `zod` stands for, in zod's own folder. */
const ZOD_ENTRY = "v4/classic/external.d.ts";

/**
 * Copies them into the staged package's `dist`. Their maps point at sources that are not shipped, so the lines that name
 * the maps are left out.
 *
 * @param {string} from folder of the package in the workspace, with `dist`
 * @param {string} to folder of the staged package
 * @param {string[]} entries the declarations that the manifest names, e.g. `./dist/index.d.ts`
 * @param {string | undefined} zod folder of the package `zod`, for a package whose types are to bring it along
 * @throws Error when a declaration names a file that is not there
 */
export function copyDeclarations(from, to, entries, zod) {
  const source = join(from, "dist");
  const target = join(to, "dist");
  const copies = new Map();
  const queue = entries.map((entry) => join(from, entry));
  const place = (path) =>
    path.startsWith(source + sep) ? join(target, path.slice(source.length)) : join(target, "zod", relative(zod, path));
  for (const path of queue) {
    if (copies.has(path)) continue;
    const text = readFileSync(path, "utf8").replace(/^\/\/# sourceMappingURL=.*\n?/m, "");
    copies.set(
      path,
      text.replace(SPECIFIER, (whole, before, quote, specifier) => {
        const named = declarationOf(path, specifier, zod);
        if (named === undefined) return whole;
        queue.push(named);
        return specifier.startsWith(".") ? whole : `${before}${quote}${specifierOf(place(path), place(named))}${quote}`;
      }),
    );
  }
  for (const [path, text] of copies) {
    const copy = place(path);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, text);
  }
}

/** The file that a declaration names; undefined where it is another package's. */
function declarationOf(path, specifier, zod) {
  if (specifier === "zod" && zod !== undefined) return join(zod, ZOD_ENTRY);
  if (!specifier.startsWith(".")) return undefined;
  const named = join(dirname(path), specifier).replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
  if (!existsSync(named)) throw new Error(`\`${path}\` names \`${specifier}\`, which is not there`);
  return named;
}

function specifierOf(path, named) {
  const way = relative(dirname(path), named)
    .replaceAll(sep, "/")
    .replace(/\.d\.ts$/, ".js");
  return way.startsWith(".") ? way : `./${way}`;
}
