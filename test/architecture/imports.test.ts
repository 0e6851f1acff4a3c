/**
 * The import table: which package may use which, checked against sources, manifests and compiler references.
 *
 * The table is written here once, as data. ARCHITECTURE.md shows it to people; this file is what fails.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Row {
  /** Packages of ours it may import. */
  ours: readonly string[];
  /** Packages of others it may import. */
  others: readonly string[];
  /** Whether it may use Node itself: data and drawing cannot touch files, processes or time. */
  node: boolean;
}

const TABLE: Readonly<Record<string, Row>> = {
  contract: { ours: [], others: ["zod"], node: false },
  command: { ours: ["contract"], others: ["unbash"], node: false },
  natives: { ours: ["contract"], others: [], node: true },
  places: { ours: ["contract", "natives"], others: ["zod"], node: true },
  policy: { ours: ["contract", "command"], others: ["re2js"], node: true },
  executor: { ours: ["contract", "command", "natives", "terminal"], others: ["re2js"], node: true },
  tool: { ours: ["contract", "command", "policy", "executor"], others: [], node: true },
  terminal: { ours: ["contract"], others: ["@xterm/headless"], node: true },
  renderer: {
    ours: ["contract", "terminal"],
    others: ["string-width", "@earendil-works/pi-tui", "ink", "react"],
    node: false,
  },
  adapters: {
    ours: ["contract", "tool"],
    others: [
      "@agentclientprotocol/sdk",
      "@anthropic-ai/sdk",
      "@earendil-works/pi-agent-core",
      "@modelcontextprotocol/server",
      "@openai/agents",
      "@opentelemetry/api",
      "ai",
    ],
    node: true,
  },
  // The composition root: it alone builds things and hands them down, so it may name every layer.
  cli: {
    ours: [
      "contract",
      "command",
      "natives",
      "places",
      "policy",
      "executor",
      "tool",
      "terminal",
      "renderer",
      "adapters",
    ],
    others: [],
    node: true,
  },
};

/** Finds `import … from "x"`, `export … from "x"`, `import "x"` and `import("x")`. */
const IMPORT =
  /(?:^|[;\s])(?:import|export)\s*(?:[\w*{}\s,$]*?\sfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm;

interface Import {
  file: string;
  specifier: string;
}

function sourceFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "");
  return [...text.matchAll(IMPORT)].map((match) => ({
    file: relative(root, file),
    specifier: match[1] ?? match[2] ?? "",
  }));
}

function problemOf(name: string, row: Row, { file, specifier }: Import): string | undefined {
  if (specifier.startsWith(".")) {
    const target = resolve(root, dirname(file), specifier);
    if (!target.startsWith(join(root, "packages", name, "src"))) return "leaves its package by a relative path";
    return target.endsWith(join("src", "index.ts")) ? "imports its own package's front door" : undefined;
  }
  if (specifier.startsWith("node:")) return row.node ? undefined : "may not use Node";
  if (specifier.startsWith("@pi-bash/")) {
    // A package may have entries of its own beside the main one (`@pi-bash/natives/fallback`).
    const [, ours = ""] = specifier.split("/");
    return row.ours.includes(ours) ? undefined : "is not in its row of the table";
  }
  const isOther = row.others.some((other) => specifier === other || specifier.startsWith(`${other}/`));
  return isOther ? undefined : "is not in its row of the table";
}

function packageNames(): string[] {
  return readdirSync(join(root, "packages"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(root, "packages", entry.name, "package.json")))
    .map((entry) => entry.name);
}

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

describe("import table", () => {
  it("has a row for every package", () => {
    expect(packageNames().filter((name) => !(name in TABLE))).toEqual([]);
  });

  it("is the one that ARCHITECTURE.md shows", () => {
    const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
    const cells = (line: string) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
    const lines = page.slice(page.indexOf("| may import →")).split("\n\n")[0]?.split("\n") ?? [];
    const columns = cells(lines[0] ?? "").slice(1, -1);
    const shown = lines.slice(2).map((line) => {
      const [name = "", ...marks] = cells(line);
      const others = (marks.pop() ?? "").split(", ").filter((other) => other !== "");
      return [name, { ours: columns.filter((_, at) => marks[at] === "x"), others }];
    });

    const expected = Object.entries(TABLE).map(([name, { ours, others }]) => [name, { ours, others }]);
    expect(shown).toEqual(expected);
  });

  it("sees the imports it judges", () => {
    const contract = importsOf(join(root, "packages/contract/src/settings.ts")).map(({ specifier }) => specifier);

    expect(contract).toEqual(["zod", "./decision.ts", "./interceptor-rule.ts", "./limits.ts", "./sandbox.ts"]);
  });

  describe.each(packageNames().filter((name) => name in TABLE))("@pi-bash/%s", (name) => {
    const row = TABLE[name] ?? { ours: [], others: [], node: false };

    it("imports what its row allows and nothing else", () => {
      const problems = sourceFiles(join(root, "packages", name, "src"))
        .flatMap(importsOf)
        .map((found) => ({ found, problem: problemOf(name, row, found) }))
        .filter(({ problem }) => problem !== undefined)
        .map(({ found, problem }) => `${found.file}: \`${found.specifier}\` ${problem}`);

      expect(problems).toEqual([]);
    });

    it("declares the dependencies that its row allows", () => {
      const dependencies = Object.keys(readJson(`packages/${name}/package.json`)["dependencies"] ?? {});
      const allowed = [...row.ours.map((ours) => `@pi-bash/${ours}`), ...row.others];

      expect(dependencies.filter((dependency) => !allowed.includes(dependency))).toEqual([]);
    });

    it("has the same packages as compiler references and as dependencies", () => {
      const dependencies = Object.keys(readJson(`packages/${name}/package.json`)["dependencies"] ?? {})
        .filter((dependency) => dependency.startsWith("@pi-bash/"))
        .map((dependency) => dependency.slice("@pi-bash/".length));
      const references = readJson(`packages/${name}/tsconfig.json`)["references"] as { path: string }[] | undefined;

      expect((references ?? []).map(({ path }) => path.replace("../", "")).sort()).toEqual(dependencies.sort());
    });
  });
});
