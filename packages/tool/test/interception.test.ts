/**
 * Commands that have a better tool are refused before anything happens (seeds 000 section 2, 001 "Interceptor").
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scene, textOf, thrown } from "./support/session.ts";

const ON = { "bashInterceptor.enabled": true } as const;
const TOOLS = { toolNames: ["read", "search", "find", "edit", "write"] };

describe("interception", () => {
  it("refuses with the advice, the original command, and the tool in the details", async () => {
    const { bash } = scene(ON);

    const error = await thrown(bash({ command: "cat README.md" }, { context: TOOLS }));

    expect(error.message).toMatch(
      /^Blocked: Use the `read` tool instead of cat\/head\/tail\..*\n\nOriginal command: cat README\.md$/,
    );
    expect(error.details).toEqual({ suggestedTool: "read" });
  });

  it("is off by default, and a rule holds only where its tool is there", async () => {
    expect((await scene().bash({ command: "cat /dev/null" }, { context: TOOLS })).isError).toBeUndefined();
    const { bash } = scene(ON, { toolNames: ["write"] });
    expect(textOf(await bash({ command: "grep -c root /etc/passwd" }))).toMatch(/^\d+\n/);
    expect((await thrown(bash({ command: "echo a > b" }))).details).toEqual({ suggestedTool: "write" });
  });

  it("sees the command behind a leading `cd`, and quotes what the model wrote", async () => {
    const rules = [{ pattern: "^make", tool: "build", message: "Use the `build` tool." }];
    const { bash, folder } = scene({ ...ON, "bashInterceptor.patterns": rules }, { toolNames: ["build"] });
    mkdirSync(join(folder, "sub"));

    const error = await thrown(bash({ command: "cd sub && make all" }));

    expect(error.message).toBe("Blocked: Use the `build` tool.\n\nOriginal command: cd sub && make all");
  });

  it("leaves no folder of a `local://` path behind", async () => {
    const place = scene(ON, { toolNames: ["write"] });
    const localRoot = join(place.folder, "local");
    Object.assign(place.session, { internalUrls: { localRoot } });

    await thrown(place.bash({ command: "echo x > local://deep/file" }));

    expect(existsSync(localRoot)).toBe(false);
  });

  it("lets quoted text and stages of a pipe pass (MN-06)", async () => {
    const { bash } = scene(ON);

    expect(textOf(await bash({ command: 'echo "cat file"' }, { context: TOOLS }))).toMatch(/^cat file\n/);
    expect(textOf(await bash({ command: "seq 1 3 | grep 2" }, { context: TOOLS }))).toMatch(/^2\n/);
  });

  it("reports a rule that does not compile once, and skips it", async () => {
    const warnings: string[] = [];
    const rules = [{ pattern: "(", tool: "read", message: "never" }];
    const { bash } = scene(
      { ...ON, "bashInterceptor.patterns": rules },
      { toolNames: ["read"], warn: (message) => warnings.push(message) },
    );

    await bash({ command: "cat /dev/null" });
    await bash({ command: "cat /dev/null" });

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^interception rule is skipped: pattern `\(` of the rule for `read` does not compile/);
  });
});
