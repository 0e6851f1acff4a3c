/** The documents in the published packages: every link holds there, and what help names is there. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND_NAMES, commandEntry } from "../../packages/cli/src/surface/commands.ts";
import { LINK } from "../../scripts/package/documents.mjs";
import { publishedPackages, stagePackage } from "../../scripts/package/stage.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const REPOSITORY = "https://github.com/pi-bash/pi-bash/";
const RUN_LIMIT_MS = 20_000;
const names = publishedPackages(root);

let staging = "";
const folders = new Map<string, string>();

beforeAll(() => {
  mkdirSync(join(root, "build"), { recursive: true });
  staging = mkdtempSync(join(root, "build", "documents-"));
  for (const name of names) folders.set(name, stagePackage(root, staging, name));
});

afterAll(() => rmSync(staging, { recursive: true, force: true }));

const folderOf = (name: string) => folders.get(name) ?? "";

/** Whether npm packs the pages of a staged package. */
function packsPages(name: string): boolean {
  const { files }: { files: string[] } = JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8"));
  return files.includes("docs");
}

/** Every Markdown file that npm packs of a staged package: its manifest's `files`, and README always. */
function documentsOf(name: string): string[] {
  const folder = folderOf(name);
  const docs = packsPages(name) ? readdirSync(join(folder, "docs")).map((file) => join("docs", file)) : [];
  return ["README.md", ...docs].map((file) => join(folder, file));
}

/** Links outside of code, with the file each stands in. */
function linksOf(document: string): string[] {
  const text = readFileSync(document, "utf8").replaceAll(/^```[\s\S]*?^```/gm, "");
  return text.match(LINK) ?? [];
}

describe.each(names)("the documents of %s", (name) => {
  it("are packed where there are any", () => {
    expect(packsPages(name)).toBe(existsSync(join(folderOf(name), "docs")));
  });

  it("have links that lead to a file of the package or to an absolute address", () => {
    for (const document of documentsOf(name)) {
      for (const link of linksOf(document)) {
        if (/^[a-z]+:|^#/.test(link)) continue;
        expect(existsSync(join(dirname(document), link.replace(/#.*/, ""))), `${document}: ${link}`).toBe(true);
      }
    }
  });

  it("lead to files of the repository that are there", () => {
    const links = documentsOf(name)
      .flatMap(linksOf)
      .filter((link) => link.startsWith(REPOSITORY));
    for (const link of links) {
      const path = link
        .slice(REPOSITORY.length)
        .replace(/^(?:blob|raw)\/main\//, "")
        .replace(/#.*/, "");
      expect(existsSync(join(root, path)), link).toBe(true);
    }
  });

  it("have each page that the README names", () => {
    const readme = readFileSync(join(folderOf(name), "README.md"), "utf8");
    const wanted = readFileSync(join(root, "packages", name, "README.md"), "utf8").match(/\bdocs\/[a-z-]+\.md/g) ?? [];
    for (const page of wanted) expect(existsSync(join(folderOf(name), page)), page).toBe(true);
    expect(readme).not.toContain("../");
  });
});

describe("the help of the packed program", () => {
  it.each(COMMAND_NAMES)("names a page for %s that is in the package", (name) => {
    expect(existsSync(join(folderOf("cli"), commandEntry(name).page))).toBe(true);
  });

  it("prints where that is", () => {
    const program = join(folderOf("cli"), "bin", "pi-bash.mjs");
    const text = execFileSync(process.execPath, [program, "run", "--help"], {
      encoding: "utf8",
      timeout: RUN_LIMIT_MS,
    });

    expect(text).toContain(`More: ${join(folderOf("cli"), "docs", "cli.md")}\n`);
  });
});
