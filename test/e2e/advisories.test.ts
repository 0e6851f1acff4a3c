/**
 * Published flaws of other products that are about a running session: none of them holds here.
 *
 * Those about the text of commands are in `packages/policy/test/advisories.test.ts`.
 */
import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createExecutor } from "@pi-bash/executor";
import { createPolicy, type PolicyRequest } from "@pi-bash/policy";
import { type BashToolSession, createBashTool, ToolError } from "@pi-bash/tool";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../support/scratch.ts";

function session(ports: Partial<BashToolSession> = {}): BashToolSession {
  const folder = scratchFolder();
  const cwd = join(folder, "work");
  mkdirSync(cwd);
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: join(folder, "home") };
  const executor = createExecutor({}, { hostEnv, cwd, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  return { cwd, executor, hostEnv, ...ports };
}

describe("published flaws", () => {
  it("CVE-2025-59532: the folder a model names never becomes the workspace", async () => {
    const seen: PolicyRequest[] = [];
    const policy = createPolicy();
    const authorize: typeof policy.authorize = (request, options) => {
      seen.push(request);
      return policy.authorize(request, options);
    };
    const place = session({ policy: { ...policy, authorize } });
    const { execute } = createBashTool(place);

    await execute("1", { command: "ls", cwd: "/" });
    const error = await execute("2", { command: "rm -rf .", cwd: ".." }).catch((reason: unknown) => reason);

    expect(seen).toMatchObject([{ cwd: "/", workspace: place.cwd }]);
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ message: expect.stringContaining("a folder above the workspace") });
  });

  it("CVE-2025-61260: files of the project set no variables", async () => {
    const place = session();
    writeFileSync(join(place.cwd, ".env"), "CODEX_HOME=/evil\nPI_HOME=/evil\n");
    writeFileSync(join(place.cwd, ".envrc"), "export PI_HOME=/evil\n");
    writeFileSync(join(place.cwd, ".bashrc"), "PI_HOME=/evil\n");

    const answer = await createBashTool(place).execute("1", { command: 'echo "[$CODEX_HOME$PI_HOME]"' });

    expect(answer.content[0]?.text).toMatch(/^\[\]\n/);
  });

  it("CVE-2026-46406: outputs are in a folder of one user, whose name no one can know before", async () => {
    const place = session();
    await createBashTool(place).execute("1", { command: "seq 1 20000" });

    const [artifact] = await place.executor.artifacts.list();
    const folder = lstatSync(dirname(artifact?.path ?? ""));
    const file = lstatSync(artifact?.path ?? "");

    expect(folder.isDirectory() && !folder.isSymbolicLink()).toBe(true);
    expect(folder.mode & 0o077).toBe(0);
    expect(file.mode & 0o077).toBe(0);
    const other = session();
    await createBashTool(other).execute("1", { command: "seq 1 20000" });
    const [another] = await other.executor.artifacts.list();
    expect(basename(dirname(another?.path ?? ""))).not.toBe(basename(dirname(artifact?.path ?? "")));
  });
});
