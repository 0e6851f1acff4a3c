/** Links of the repository's documents: each leads to a file of the tree, and to a heading where it names one. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import GithubSlugger from "github-slugger";
import { describe, expect, it } from "vitest";
import { LINK } from "../../scripts/package/documents.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "-z", "*.md"], { cwd: root, encoding: "utf8" });
const documents = tracked.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));

/** A document's text without its code, where what looks like a link or a heading is neither. */
function proseOf(path: string): string {
  return readFileSync(join(root, path), "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
}

const anchors = new Map<string, Set<string>>();

/** The anchors that a code host gives a document's headings. */
function anchorsOf(path: string): Set<string> {
  const known = anchors.get(path);
  if (known !== undefined) return known;
  const slugger = new GithubSlugger();
  const headings = proseOf(path).matchAll(/^#{1,6} (.+?)\s*$/gm);
  const found = new Set([...headings].map(([, heading = ""]) => slugger.slug(textOf(heading))));
  anchors.set(path, found);
  return found;
}

/** A heading as it is shown: a link in it is its text, code loses its marks. */
function textOf(heading: string): string {
  return heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

/** What is wrong with a link of a document, if anything is. */
function problemOf(document: string, link: string): string | undefined {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? document : normalize(join(dirname(document), file));
  if (!existsSync(join(root, target))) return `${document}: ${link} leads to no file`;
  if (anchor === undefined || !target.endsWith(".md")) return undefined;
  return anchorsOf(target).has(anchor) ? undefined : `${document}: ${link} leads to no heading`;
}

describe("links of documents", () => {
  const links = documents.flatMap((document) =>
    (proseOf(document).match(LINK) ?? []).filter((link) => !/^[a-z]+:/.test(link)).map((link) => ({ document, link })),
  );

  it("lead to a file, and to a heading in it", () => {
    const problems = links.map(({ document, link }) => problemOf(document, link));

    expect(links.length).toBeGreaterThan(1_000);
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it("are noticed where the file or the heading is missing", () => {
    expect(problemOf("README.md", "docs/no-page.md")).toContain("no file");
    expect(problemOf("README.md", "docs/README.md#no-heading")).toContain("no heading");
    expect(problemOf("docs/README.md", "../README.md#the-tour")).toBeUndefined();
  });
});
