/** The pictures of the documents are what the renderer draws of real commands now. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const found = readdirSync(`${root}docs/images`, { recursive: true, encoding: "utf8" });
const images = found.filter((name) => name.endsWith(".svg"));

/** Longest time that drawing all of them may take, in milliseconds: they wait for real commands. */
const LIMIT_MS = 50_000;

describe("the pictures of the documents", () => {
  // Folders have other names on Windows, and its sessions leave no survivors: other pictures.
  it.skipIf(process.platform === "win32")("are what is drawn of real commands", async () => {
    const options = { cwd: root, timeout: LIMIT_MS, killSignal: "SIGKILL" } as const;

    const { stdout } = await promisify(execFile)(process.execPath, ["scripts/pictures.mjs", "--check"], options).catch(
      (error: { stdout: string }) => error,
    );

    expect(stdout).toBe("");
  });

  it("are each shown on a page, and small", () => {
    const pages = ["README.md", "docs/renderer.md"].map((page) => readFileSync(root + page, "utf8")).join("");

    expect(images.filter((name) => !pages.includes(`images/${name}`))).toEqual([]);
    for (const name of images) expect(readFileSync(`${root}docs/images/${name}`).length).toBeLessThan(16_000);
    expect(images.length).toBeGreaterThan(10);
  });
});
