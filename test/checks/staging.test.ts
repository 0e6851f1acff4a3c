/** What is put into the published packages: one file for each entry, the types that entries reach, and nothing unasked. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BashParams, jsonSchemaOf, Settings } from "../../packages/contract/src/index.ts";
import { bundlePackage, entriesOf } from "../../scripts/package/bundle.mjs";
import { copyDeclarations } from "../../scripts/package/declarations.mjs";
import { noticesText } from "../../scripts/package/notices.mjs";
import { publishedPackages, stagePackage } from "../../scripts/package/stage.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const RUN_LIMIT_MS = 20_000;

let staging = "";
const staged = new Map<string, string>();

beforeAll(() => {
  // Inside the checkout, where our packages are found as in an install.
  mkdirSync(join(root, "build"), { recursive: true });
  staging = mkdtempSync(join(root, "build", "staged-"));
  for (const name of publishedPackages(root)) staged.set(name, stagePackage(root, staging, name));
});

afterAll(() => rmSync(staging, { recursive: true, force: true }));

const folderOf = (name: string) => staged.get(name) ?? "";
const manifestOf = (name: string) => JSON.parse(readFileSync(join(folderOf(name), "package.json"), "utf8"));

function filesOf(name: string, ending: RegExp): string[] {
  const dist = join(folderOf(name), "dist");
  return readdirSync(dist, { recursive: true, encoding: "utf8" })
    .filter((file) => ending.test(file))
    .map((file) => join(dist, file));
}

/** The packages that a bundle imports, as its writer sets imports: each on lines of its own. */
function importedPackages(text: string): string[] {
  // Without a blank before the quote, as in no text that a program holds.
  const imports = text.matchAll(/\b(?:from|import)\n?\(?"([@a-z][^"\\\s]*)"/g);
  const specifiers = [...imports].map(([, specifier = ""]) => specifier);
  return specifiers
    .filter((specifier) => !specifier.startsWith("node:"))
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
}

/** Runs a module in a Node of its own, beside a staged package; returns what it printed. */
function run(name: string, source: string): string {
  const path = join(folderOf(name), "program.mjs");
  writeFileSync(path, source);
  onTestFinished(() => rmSync(path));
  return execFileSync(process.execPath, [path], { encoding: "utf8", timeout: RUN_LIMIT_MS });
}

/** Writes files into a new folder, which goes with the test. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-bash-staging-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("a published package", () => {
  it("has the files that its manifest names, and imports nothing that its manifest does not", () => {
    let seen = 0;
    for (const name of staged.keys()) {
      const { dependencies = {}, peerDependencies = {}, exports, files } = manifestOf(name);
      const named = Object.values(exports)
        .flatMap((entry) => Object.values(entry as object))
        .filter((path) => path[0] === ".");
      for (const path of [...named, ...files])
        expect(existsSync(join(folderOf(name), path)), `${name}: ${path}`).toBe(true);
      const packages = filesOf(name, /\.js$/).flatMap((path) => importedPackages(readFileSync(path, "utf8")));
      seen += packages.length;
      const declared = Object.keys({ ...dependencies, ...peerDependencies });
      expect(
        packages.filter((other) => !declared.includes(other)),
        name,
      ).toEqual([]);
    }
    expect(seen).toBeGreaterThan(30);
  });

  it("names zod in no import, neither in what runs nor in its types", () => {
    const files = [...staged.keys()].flatMap((name) => filesOf(name, /\.(?:js|d\.ts)$/));
    const naming = files.filter((path) => {
      const text = readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
      return /(?:\bfrom|\bimport)\s*\(?\s*["']zod["'/]/.test(text);
    });

    expect(files.length).toBeGreaterThan(100);
    expect(naming).toEqual([]);
  });

  it("points at no map", () => {
    for (const name of staged.keys())
      for (const path of filesOf(name, /\.(?:js|d\.ts)$/))
        expect(readFileSync(path, "utf8"), path).not.toContain("# sourceMappingURL=");
  });
});

describe("the published contract", () => {
  it("has the schemas of the sources, and zod's English, with zod's licence", async () => {
    const contract = await import(pathToFileURL(join(folderOf("contract"), "dist", "index.js")).href);

    expect(contract.jsonSchemaOf(contract.BashParams)).toEqual(jsonSchemaOf(BashParams));
    expect(contract.Settings.parse({})).toEqual(Settings.parse({}));
    const said = contract.BashParams.safeParse({ command: 1 }).error.issues[0].message;
    expect(said).toBe("Invalid input: expected string, received number");
    expect(readFileSync(join(folderOf("contract"), "THIRD-PARTY-NOTICES.md"), "utf8")).toMatch(/^- zod \d/m);
    expect(manifestOf("contract").dependencies).toBeUndefined();
  });

  it("gives `./abort` without its schemas", () => {
    // What an entry loads: the pieces that it shares with others too.
    const bytes = (name: string, seen = new Set<string>()): number => {
      if (seen.has(name)) return 0;
      seen.add(name);
      const text = readFileSync(join(folderOf("contract"), "dist", name), "utf8");
      const pieces = [...text.matchAll(/\b(?:from|import)\n?"\.\/([^"]+)"/g)].map(([, piece]) => piece ?? "");
      return text.length + pieces.reduce((sum, piece) => sum + bytes(piece, seen), 0);
    };

    for (const entry of ["abort.js", "text.js", "wait.js"]) expect(bytes(entry), entry).toBeLessThan(8_000);
    expect(bytes("index.js")).toBeGreaterThan(100_000);
  });
});

describe("the published natives", () => {
  it("look for the addon beside themselves and name in a stack who looked", () => {
    const printed = run(
      "natives",
      'import { addonInfo } from "./dist/index.js"; try { addonInfo(); } catch (error) { console.log(error.stack); }',
    );

    expect(printed).toContain(join(folderOf("natives"), "bin", "pi-natives."));
    expect(printed).toMatch(/at loadBinding \(/);
    expect(printed).toMatch(/at addonInfo \(/);
  });

  it("have one class for an error, whichever entry throws it", () => {
    const printed = run(
      "natives",
      'import { ShellError } from "./dist/index.js"; import { Shell } from "./dist/fallback/shell.js";' +
        "try { new Shell({ cwd: 7 }); } catch (error) { console.log(error instanceof ShellError); }",
    );

    expect(printed).toBe("true\n");
  });
});

describe("bundling", () => {
  const manifest = JSON.stringify({ name: "@pi-bash/x", exports: { ".": { default: "./dist/index.js" } }, files: [] });

  it("refuses code that no one has listed", () => {
    const workspace = folderWith({
      "packages/x/dist/index.js": 'import { y } from "y"; console.log(y);',
      "node_modules/y/package.json": '{"name":"y","main":"index.js"}',
      "node_modules/y/index.js": "export const y = 1;",
      "staged/package.json": manifest,
    });

    expect(() => bundlePackage(workspace, "x", join(workspace, "staged"))).toThrow("node_modules/y/index.js");
  });

  it("refuses to move a file to another depth that asks where it stands", () => {
    const workspace = folderWith({
      "packages/x/dist/index.js": 'import { place } from "./below/place.js"; console.log(place);',
      "packages/x/dist/below/place.js": 'export const place = new URL("../../data", import.meta.url);',
      "staged/package.json": manifest,
    });

    expect(() => bundlePackage(workspace, "x", join(workspace, "staged"))).toThrow("below/place.js");
  });

  it("knows the entries of a manifest", () => {
    const exports = { ".": { types: "./a.d.ts", default: "./a.js" }, "./package.json": "./package.json" };

    expect(entriesOf({ exports })).toEqual(["./a.js"]);
  });
});

describe("copied declarations", () => {
  it("are those that an entry reaches, with zod's in a folder of their own", () => {
    const folder = folderWith({
      "x/dist/index.d.ts":
        'import * as z from "zod";\nexport type { A } from "./below/a.ts";\n//# sourceMappingURL=index.d.ts.map',
      "x/dist/below/a.d.ts": 'export type A = import("zod").ZodType;',
      "x/dist/unused.d.ts": "export {};",
      "zod/v4/classic/external.d.ts": 'export * from "../core/index.js";',
      "zod/v4/core/index.d.ts": "export {};",
      "zod/v4/mini/index.d.ts": "export {};",
    });
    copyDeclarations(join(folder, "x"), join(folder, "to"), ["./dist/index.d.ts"], join(folder, "zod"));
    const read = (path: string) => readFileSync(join(folder, "to", "dist", path), "utf8");

    expect(read("index.d.ts")).toBe(
      'import * as z from "./zod/v4/classic/external.js";\nexport type { A } from "./below/a.ts";\n',
    );
    expect(read("below/a.d.ts")).toBe('export type A = import("../zod/v4/classic/external.js").ZodType;');
    expect(read("zod/v4/core/index.d.ts")).toBe("export {};");
    for (const absent of ["unused.d.ts", "zod/v4/mini"])
      expect(existsSync(join(folder, "to/dist", absent))).toBe(false);
  });

  it("are not made when one names a file that is not there", () => {
    const folder = folderWith({ "x/dist/index.d.ts": 'export * from "./gone.js";' });

    expect(() => copyDeclarations(join(folder, "x"), join(folder, "to"), ["./dist/index.d.ts"], undefined)).toThrow(
      "gone.js",
    );
  });
});

describe("the notices", () => {
  it("have every owner, and a text once for all whose it is", () => {
    const page: string = noticesText("These.", [
      { title: "a 1: MIT", texts: ["shared", "of a"] },
      { title: "b 2: MIT", texts: ["shared"] },
    ]);

    expect(page.match(/^shared$/gm)).toHaveLength(1);
    expect(page).toContain("- a 1: MIT\n- b 2: MIT\n\n~~~text\nshared\n~~~");
    expect(page).toContain("- a 1: MIT\n\n~~~text\nof a\n~~~");
  });
});
