/**
 * The documents of a staged package: its README, and the pages of `docs/` that it names, with links that hold there.
 *
 * Whoever has installed a package has no checkout: a link to a page that travels with it stays relative, any other goes to
 * the repository. The pages of `@pi-bash/cli` are also those that its help names.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";

/** A page as READMEs, help and messages name it. */
const PAGE = /\bdocs\/[a-z-]+\.md\b/g;
/** A link's target in Markdown; a picture's too. */
export const LINK = /(?<=\]\()[^()\s]+(?=\))/g;

/**
 * Writes README and pages into a staged folder. Returns the entries that its manifest's `files` get.
 *
 * @param {string} root folder of the workspace
 * @param {string} from folder of the package in the workspace, e.g. `packages/cli`
 * @param {string} to the staged folder
 * @param {string} repository address of the repository, e.g. `https://github.com/owner/name`
 * @throws Error for a page that is named and is not there
 */
export function copyDocuments(root, from, to, repository) {
  const readme = join(root, from, "README.md");
  if (!existsSync(readme)) return [];
  const pages = new Set(
    [readFileSync(readme, "utf8"), ...helpTexts(root, from)].flatMap((text) => text.match(PAGE) ?? []),
  );
  const write = (source, path) => {
    const target = join(to, path);
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(root, source), "utf8");
    writeFileSync(target, withLinks(text, { from: source, path, pages, repository }));
  };
  write(`${from}/README.md`, "README.md");
  for (const page of pages) write(page, page);
  return pages.size === 0 ? [] : ["docs"];
}

/** What `pi-bash --help` is made of, as the compiler wrote it. */
function helpTexts(root, from) {
  if (from !== "packages/cli") return [];
  const folder = join(root, from, "dist", "surface");
  const files = readdirSync(folder).filter((file) => file.endsWith(".js"));
  return files.map((file) => readFileSync(join(folder, file), "utf8"));
}

/** The text of the file `from` of the repository, which is `path` in the package. Code between fences stays as it is. */
function withLinks(text, { from, path, pages, repository }) {
  const rewrite = (link) => {
    if (/^(?:[a-z]+:|#)/.test(link)) return link;
    const [file, anchor] = link.split("#");
    const target = posix.join(posix.dirname(from), file);
    const end = anchor === undefined ? "" : `#${anchor}`;
    if (pages.has(target)) return posix.relative(posix.dirname(path), target) + end;
    return `${repository}/${/\.svg$/.test(target) ? "raw" : "blob"}/main/${target}${end}`;
  };
  return text
    .split(/(^```[\s\S]*?^```)/m)
    .map((part) => (part.startsWith("```") ? part : part.replaceAll(LINK, rewrite)))
    .join("");
}
