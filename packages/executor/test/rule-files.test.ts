/** Which rule files go with the minimizer, and what is said about the others. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Settings, type SettingsInput } from "@pi-bash/contract";
import { MAX_RULE_FILE_BYTES } from "@pi-bash/contract/internal";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { createExecutor } from "../src/executor.ts";
import { loadRuleFiles, PROJECT_RULES, type RuleFiles, readRuleFile } from "../src/rule-files.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";

const RULES = 'schema = 1\n[[rule]]\nname = "mine"\nprograms = ["x"]\n';

function write(folder: string, name: string, text: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function load(
  settings: SettingsInput,
  folder: string,
  verify: (text: string) => unknown = () => 0,
): Promise<RuleFiles> {
  return loadRuleFiles(Settings.parse(settings), folder, { verifyMinimizerRules: verify });
}

describe("rule files", () => {
  it("of a person are used as they are, or only with the content that was hashed", async () => {
    const folder = scratchFolder();
    const path = write(folder, "own.toml", RULES);
    const { sha256 } = await readRuleFile(path);
    const settings = { "shellMinimizer.settingsPath": path };

    expect(await load(settings, folder)).toEqual({ texts: [RULES], problems: [] });
    expect(await load({ ...settings, "shellMinimizer.settingsHash": sha256 }, folder)).toEqual({
      texts: [RULES],
      problems: [],
    });
    write(folder, "own.toml", `${RULES}# changed\n`);
    const changed = await load({ ...settings, "shellMinimizer.settingsHash": sha256 }, folder);
    expect(changed.texts).toEqual([]);
    expect(changed.problems[0]).toMatch(
      /own\.toml` is not used: its SHA-256 [0-9a-f]{64} is not approved; `shellMinimizer\.approvedRules` approves it$/,
    );
  });

  it("of a project are used only where a person approved their content", async () => {
    const folder = scratchFolder();
    const { sha256 } = await readRuleFile(write(folder, PROJECT_RULES, RULES));

    expect(await load({}, folder)).toEqual({ texts: [], problems: [] });
    expect((await load({ "shellMinimizer.approvedRules": ["0".repeat(64)] }, folder)).problems).toHaveLength(1);
    expect((await load({ "shellMinimizer.approvedRules": [sha256] }, folder)).texts).toEqual([RULES]);
    expect(await load({ "shellMinimizer.approvedRules": [sha256] }, scratchFolder())).toEqual({
      texts: [],
      problems: [],
    });
  });

  it("come after one another: a person's before a project's", async () => {
    const folder = scratchFolder();
    const own = write(folder, "own.toml", `${RULES}# own\n`);
    const { sha256 } = await readRuleFile(write(folder, PROJECT_RULES, RULES));
    const settings = { "shellMinimizer.settingsPath": own, "shellMinimizer.approvedRules": [sha256] };

    expect((await load(settings, folder)).texts).toEqual([`${RULES}# own\n`, RULES]);
  });

  it("that cannot be used are named with the reason", async () => {
    const folder = scratchFolder();
    const problemOf = async (path: string): Promise<string> =>
      (await load({ "shellMinimizer.settingsPath": path }, folder)).problems.join("\n");

    expect(await problemOf(join(folder, "absent"))).toContain("ENOENT");
    expect(await problemOf(folder)).toMatch(/not a regular file|EISDIR|EPERM|EACCES/);
    expect(await problemOf(write(folder, "long", "#".repeat(MAX_RULE_FILE_BYTES + 1)))).toContain("longer than");
    expect(await problemOf(write(folder, "bytes", Buffer.from([0x23, 0xff])))).toContain("not valid");
    const refused = await load({ "shellMinimizer.settingsPath": write(folder, "wrong", "x") }, folder, () => {
      throw new Error("not understood");
    });
    expect(refused).toEqual({ texts: [], problems: [expect.stringContaining("wrong` is not used: not understood")] });
  });

  it.skipIf(process.platform === "win32")(
    "that are pipes keep no one waiting (Windows has none in folders)",
    async () => {
      const path = join(scratchFolder(), "pipe");
      execFileSync("mkfifo", [path]);

      await expect(readRuleFile(path)).rejects.toThrow("not a regular file");
    },
  );
});

describe("an executor with rule files", () => {
  it("hands them to the minimizer, and tells once what is wrong with one", async () => {
    const folder = scratchFolder();
    const natives = new FakeNatives();
    const seen: unknown[] = [];
    natives.minimizeOutputAsync = async (_, __, ___, options) => {
      seen.push(options?.ruleFiles);
      return null;
    };
    natives.behaviour = async () => ended({ text: "a line of a build that says little\n".repeat(200) });
    const settings = {
      // The fake has no mask, which is a notice of its own.
      "secrets.mask": false,
      "shellMinimizer.settingsPath": write(folder, "own.toml", RULES),
      "shellMinimizer.approvedRules": ["0".repeat(64)],
    };
    write(folder, PROJECT_RULES, RULES);
    const executor = createExecutor(settings, {
      natives,
      cwd: folder,
      hostEnv: { PATH: "/usr/bin:/bin" },
      usesSnapshot: false,
    });
    onTestFinished(() => executor.dispose());

    const first = await executor.executeBash("make");
    const second = await executor.executeBash("make");

    expect(seen).toEqual([[RULES], [RULES]]);
    expect(first.notices).toEqual([{ kind: "minimizer", text: expect.stringContaining("is not approved") }]);
    expect(second.notices).toBeUndefined();
  });
});
