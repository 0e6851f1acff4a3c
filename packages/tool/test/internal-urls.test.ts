/**
 * Internal URLs: quoted in commands, raw in `env` and `cwd`, refused where they climb (seeds 001, SC-02, SC-07).
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolError } from "../src/tool-error.ts";
import { type Scene, scene, textOf, thrown } from "./support/session.ts";

/** A session with two skills, a local folder, and a router for `memory`. */
function place(): Scene {
  const made = scene();
  const skills = ["it's", "docs", "docs:api"].map((name) => {
    const baseDir = join(made.folder, "skills", name.replace(":", "-"));
    mkdirSync(baseDir, { recursive: true });
    writeFileSync(join(baseDir, "SKILL.md"), `skill ${name}\n`);
    writeFileSync(join(baseDir, "list.md"), `list of ${name}\n`);
    return { name, baseDir, filePath: join(baseDir, "SKILL.md") };
  });
  const router = {
    canHandle: (url: string) => url.startsWith("memory://") || url.startsWith("rule://"),
    resolve: async (url: string) => {
      if (url === "memory://gone") throw new Error("it was forgotten");
      return url.startsWith("rule://") ? {} : { sourcePath: join(made.folder, "memory.md") };
    },
  };
  writeFileSync(join(made.folder, "memory.md"), "remembered\n");
  const internalUrls = { skills, localRoot: join(made.folder, "local"), router };
  return { ...made, session: Object.assign(made.session, { internalUrls }) };
}

describe("an internal URL in a command", () => {
  it("becomes a path that is one word, whatever is in it", async () => {
    const { bash } = place();

    expect(textOf(await bash({ command: "cat \"skill://docs\" 'skill://docs/list.md'" }))).toMatch(
      /^skill docs\nlist of docs\n/,
    );
    expect(textOf(await bash({ command: "cat skill://it%27s" }))).toMatch(/^skill it's\n/);
    expect(textOf(await bash({ command: "cat memory://today" }))).toMatch(/^remembered\n/);
  });

  it("takes the longest skill name that fits", async () => {
    const { bash } = place();

    expect(textOf(await bash({ command: "cat skill://docs:api/list.md" }))).toMatch(/^list of docs:api\n/);
    expect(textOf(await bash({ command: "cat skill://docs:list.md" }))).toMatch(/^list of docs\n/);
  });

  it("stays prose where it is no whole word, and literal behind a backslash", async () => {
    const { bash } = place();

    expect(textOf(await bash({ command: 'echo "see skill://nope now"; echo \\skill://nope' }))).toMatch(
      /^see skill:\/\/nope now\nskill:\/\/nope\n/,
    );
  });

  it("of a local file has its folder made", async () => {
    const { bash, folder } = place();

    const result = await bash({ command: "echo hi > local://notes/today.md; echo x > local:/y" });

    expect(result.details?.applied).toEqual(["internal URLs became paths"]);
    expect(readFileSync(join(folder, "local/notes/today.md"), "utf8")).toBe("hi\n");
    expect(readFileSync(join(folder, "local/y"), "utf8")).toBe("x\n");
  });

  it("of an artifact is its file", async () => {
    const { bash, session } = place();
    const { id } = await session.executor.artifacts.save("bash", "saved\n");

    expect(textOf(await bash({ command: `cat artifact://${id}` }))).toMatch(/^saved\n/);
  });
});

describe("an internal URL in `env` and `cwd`", () => {
  it("is a plain path", async () => {
    const { bash, folder } = place();

    const result = await bash({ command: 'cat "$FILE"; pwd', env: { FILE: "skill://it%27s" }, cwd: "skill://docs" });

    expect(textOf(result)).toMatch(new RegExp(`^skill it's\n${folder}/skills/docs\n`));
    expect(textOf(await bash({ command: "cd skill://docs && ls" }))).toMatch(/^SKILL\.md\nlist\.md\n/);
  });

  it("is refused as a directory where the protocol is no internal one", async () => {
    const error = await thrown(place().bash({ command: "true", cwd: "https://example.org/x" }));

    expect(error.message).toMatch(/^Unsupported internal URL in bash command: https:\/\/example\.org\/x\n/);
  });
});

describe("an internal URL that leads nowhere", () => {
  it.each([
    ["skill://nope", "Unknown skill: nope. Available: it's, docs, docs:api"],
    [
      "plan://1",
      "Cannot resolve plan:// URL in bash command: plan://1\nInternal URL router is unavailable for this protocol in the current session.",
    ],
    ["memory://gone", "Failed to resolve memory:// URL in bash command: memory://gone\nit was forgotten"],
    ["rule://7", "rule:// URL resolved without a filesystem path and cannot be used in bash: rule://7"],
    [
      "artifact://zz",
      "Failed to resolve artifact:// URL in bash command: artifact://zz\nArtifact zz not found. Available: none",
    ],
    [
      "artifact://zz?tail=5",
      "artifact:// URL resolved without a filesystem path and cannot be used in bash: artifact://zz?tail=5",
    ],
    ["skill://%zz", "Failed to resolve skill:// URL in bash command: skill://%zz\nIts percent-encoding is not valid."],
  ])("%s says so", async (url, message) => {
    const { bash, folder } = place();

    const error = await thrown(bash({ command: `touch ran; cat ${url}` }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe(message);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it.each([
    "skill://docs/../../memory.md",
    "skill://docs/%2e%2e/x",
    "skill://docs/%252e%252e/x",
    "skill://docs:../x",
    "skill:///etc/passwd",
    "local://..",
    "local://a/%2e%2e%2f%2e%2e/x",
    "local://a/%00",
    "artifact://../../etc/passwd",
    "memory://a/../b",
    "memory://a/%5c..%5cb",
  ])("%s is refused for climbing", async (url) => {
    const scheme = url.slice(0, url.indexOf(":"));

    expect((await thrown(place().bash({ command: `cat ${url}` }))).message).toBe(
      `Path traversal is not allowed in ${scheme}:// URLs`,
    );
  });

  it("stays in its folder when an encoded slash makes a part absolute", async () => {
    const { bash, folder } = place();

    expect(textOf(await bash({ command: "echo local://a/%2Fetc/passwd" }))).toMatch(
      new RegExp(`^${folder}/local/a/etc/passwd\n`),
    );
  });

  it("cannot break out of its quotes (SC-07)", async () => {
    const { bash, folder } = place();

    await bash({ command: 'echo "skill://a\'b;touch P"' });
    await thrown(bash({ command: "cat skill://a%27%3Btouch%20P%3B%27" }));

    expect(existsSync(join(folder, "P"))).toBe(false);
  });
});

describe.skipIf(process.platform === "win32")("a link below the folder of a URL", () => {
  /** A place with a file outside of the folder, and `links` in it. */
  function linked(links: Readonly<Record<string, string>>): Scene {
    const made = place();
    const root = join(made.folder, "local");
    mkdirSync(join(root, "inner"), { recursive: true });
    mkdirSync(join(made.folder, "outside"));
    writeFileSync(join(made.folder, "outside", "secret"), "secret\n");
    for (const [name, target] of Object.entries(links))
      symlinkSync(target.replace("$FOLDER", made.folder), join(root, name));
    return made;
  }

  it.each([
    ["to a folder outside", { lnk: "../outside" }, "local://lnk/secret"],
    ["to a file outside", { lnk: "../outside/secret" }, "local://lnk"],
    ["to an absolute path", { lnk: "$FOLDER/outside" }, "local://lnk/secret"],
    ["to another link that leads out", { one: "two", two: "../outside" }, "local://one/secret"],
    ["to what is not there yet", { lnk: "../outside/new" }, "local://lnk"],
    ["to the folder above", { "inner/up": "../../outside" }, "local://inner/up/made/new"],
  ])("is refused where it leads %s", async (_, links, url) => {
    const { bash, folder } = linked(links);

    const { message } = await thrown(bash({ command: `echo x > '${url}'; cat '${url}'` }));

    expect(message).toContain("Path traversal is not allowed in local:// URLs: a link leads out");
    expect(readFileSync(join(folder, "outside", "secret"), "utf8")).toBe("secret\n");
    expect(existsSync(join(folder, "outside", "new"))).toBe(false);
    expect(existsSync(join(folder, "outside", "made"))).toBe(false);
  });

  it("is refused as a working directory and in an environment, too", async () => {
    const { bash } = linked({ lnk: "../outside" });

    for (const params of [
      { command: "pwd", cwd: "local://lnk" },
      { command: "pwd", env: { F: "local://lnk/secret" } },
    ]) {
      expect((await thrown(bash(params))).message).toContain("a link leads out");
    }
  });

  it("is followed where it stays inside, and the command is given what it leads to", async () => {
    const { bash, folder } = linked({ lnk: "inner" });

    await bash({ command: "echo kept > local://lnk/new; echo local://lnk/new > name" });

    expect(readFileSync(join(folder, "local", "inner", "new"), "utf8")).toBe("kept\n");
    expect(readFileSync(join(folder, "name"), "utf8")).toBe(`${join(folder, "local", "inner", "new")}\n`);
  });

  it("leads out of no skill either", async () => {
    const { bash, folder } = linked({});
    symlinkSync("../../outside", join(folder, "skills", "docs", "lnk"));

    expect((await thrown(bash({ command: "cat skill://docs/lnk/secret" }))).message).toContain("skill:// URLs: a link");
  });
});
