/** Examples in doc comments of public names: they compile against the packages as they are built, and run. */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { readSurface } from "../../scripts/api/surface.mjs";
import { scratchFolder } from "../support/scratch.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
// TypeScript's API talks to the compiler over a pipe of Node's own kind, which Bun does not have.
const isBun = "bun" in process.versions;

/** What a host begins with: each shows how it is used. */
const WITH_EXAMPLE = [
  "analyzeCommand",
  "classify",
  "createBashTool",
  "createConsole",
  "createExecutor",
  "createPolicy",
  "jsonSchemaOf",
  "OutputSink",
  "PtySession",
  "renderBashCall",
  "Shell",
  "ssh",
  "toolsForModel",
  "VirtualTerminal",
];

interface Example {
  readonly name: string;
  readonly code: string;
}

function examples(): Example[] {
  return readSurface(root)
    .flatMap(({ entries }) => entries.flatMap((entry) => entry.exports))
    .flatMap(({ name, doc }: { name: string; doc: string }) =>
      [...doc.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => ({ name, code })),
    );
}

describe.skipIf(isBun)("an example in a doc comment", () => {
  const found = isBun ? [] : examples();

  it("is there for each name that a host begins with", () => {
    const names = new Set(found.map(({ name }) => name));
    expect(WITH_EXAMPLE.filter((name) => !names.has(name))).toEqual([]);
  });

  it("compiles, as strictly as our own sources", { timeout: 60_000 }, async () => {
    const place = scratchFolder();
    symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
    mkdirSync(join(place, "src"));
    writeFileSync(join(place, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(place, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          ...{ strict: true, noEmit: true, skipLibCheck: true, types: ["node"], target: "es2023", lib: ["es2024"] },
          ...{ module: "nodenext", exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
          noPropertyAccessFromIndexSignature: true,
        },
        include: ["src"],
      }),
    );
    for (const { name, code } of found) writeFileSync(join(place, "src", `${name}.ts`), code);

    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const problems = await promisify(execFile)(process.execPath, [compiler, "-p", place], { timeout: 50_000 }).then(
      () => "",
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
    expect(problems).toBe("");
  });

  // `ssh` would look for a machine.
  it.each(found.filter(({ name }) => name !== "ssh"))(
    "runs to its end: $name",
    { timeout: 60_000 },
    async ({ code }) => {
      const place = scratchFolder();
      symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
      writeFileSync(join(place, "example.mjs"), code.replaceAll(/ as (?:const|object)\b/g, ""));

      const { stdout } = await promisify(execFile)(process.execPath, ["example.mjs"], { cwd: place, timeout: 50_000 });
      expect(stdout).not.toBe("");
    },
  );
});
