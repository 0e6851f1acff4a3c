/** The published `pi-bash mcp`: it has the SDK in it, and works. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it, onTestFinished } from "vitest";
import { stagePackage } from "../../scripts/package/stage.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const MAX_BUNDLE_BYTES = 1024 * 1024;
const timeout = 40_000;

it("needs no SDK beside it, answers a client, and has the licences of what is in it", async () => {
  // Inside the checkout, where our packages are found as in an install.
  mkdirSync(join(root, "build"), { recursive: true });
  const staging = mkdtempSync(join(root, "build", "mcp-bundle-"));
  onTestFinished(() => rmSync(staging, { recursive: true, force: true }));
  const folder: string = stagePackage(root, staging, "cli");
  const read = (name: string) => readFileSync(join(folder, name), "utf8");

  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  expect(Object.keys(dependencies).filter((name) => !name.startsWith("@pi-bash/"))).toEqual([]);
  expect(dependencies).not.toHaveProperty("@pi-bash/adapters");
  const bundles = readdirSync(join(folder, "dist")).filter((name) => /^mcp-\w+\.js$/.test(name));
  expect(bundles).toHaveLength(1);
  const bundle = join("dist", bundles[0] ?? "");
  expect(read(bundle)).not.toMatch(/(?:from|import)\s*\(?"(?:@modelcontextprotocol|@pi-bash\/adapters|zod)/);
  expect(statSync(join(folder, bundle)).size).toBeLessThan(MAX_BUNDLE_BYTES);
  expect(read("THIRD-PARTY-NOTICES.md")).toMatch(/^- @modelcontextprotocol\/server \d/m);
  expect(read("THIRD-PARTY-NOTICES.md")).toMatch(/^- zod \d/m);

  const client = new Client({ name: "test", version: "1.0.0" });
  const args = [join(folder, "bin/pi-bash.mjs"), "mcp"];
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: staging };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: staging, env }), { timeout });
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: "bash", arguments: { command: "echo bundled" } }, { timeout });

  expect(JSON.stringify(content)).toContain("bundled");
});
