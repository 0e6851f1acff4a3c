/** `pi-bash mcp` and `rpc` where there is no native addon: what is said, to whom, and what is refused. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { runProgram } from "./built-program.ts";
import { connect } from "./support/mcp-client.ts";

/** An environment in which no addon loads, as on a system that there is none for. */
function withoutAddon(): { NODE_OPTIONS: string } {
  const hide = join(scratchFolder(), "hide.cjs");
  writeFileSync(hide, 'process.dlopen = () => { throw new Error("hidden by a test"); };\n');
  return { NODE_OPTIONS: `--require=${hide}` };
}

const request = (id: number, tool: string, params: object): string =>
  `${JSON.stringify({ id, type: "tool", tool, params })}\n`;

describe("without the addon", () => {
  it("`mcp` tells the model what does not last, and that is so", async () => {
    const { client, call } = await connect({ env: withoutAddon() });

    const { tools } = await client.listTools();
    await call("bash", { command: "kept=yes; cd /" });
    const answer = await call("bash", { command: 'echo "[$kept] $PWD"' });

    expect(tools[0]?.description).toContain("Each command has a bash of its own here");
    expect(tools[0]?.description).not.toContain("stay for later calls.");
    expect(answer.text).toMatch(/^\[\] \/.+\n/);
  });

  it("`rpc` tells it in its list of tools", async () => {
    const list = `${JSON.stringify({ id: 1, type: "list_tools" })}\n`;
    const { status, stdout } = await runProgram(["rpc"], list, undefined, withoutAddon());

    expect(status).toBe(0);
    expect(stdout).toContain("Each command has a bash of its own here");
  });

  it.each(["mcp", "rpc", "tasks"])(
    "`%s --require-sessions` does not start, and says why and what to do",
    async (name) => {
      const input = request(1, "bash", { command: "touch made" });

      const { status, stdout, stderr } = await runProgram(
        [name, "--require-sessions"],
        input,
        undefined,
        withoutAddon(),
      );

      expect(status).toBe(125);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^pi-bash: `--require-sessions`: commands would have a bash each/);
      expect(stderr).toContain("hidden by a test");
      expect(stderr).toContain("npm run build:native");
      expect(stderr).toContain("`pi-bash doctor`");
    },
  );
});

describe("with the addon", () => {
  it("`--require-sessions` changes nothing, and the model is promised what it has", async () => {
    const { client, call } = await connect({ words: ["--require-sessions"] });

    const { tools } = await client.listTools();
    await call("bash", { command: "kept=yes" });

    expect(tools[0]?.description).toContain("stay for later calls.");
    expect((await call("bash", { command: 'echo "$kept"' })).text).toMatch(/^yes\n/);
  });

  it("`tool` has no session that could be required", async () => {
    const { status, stderr } = await runProgram(["tool", "--require-sessions", "true"]);

    expect(status).toBe(2);
    expect(stderr).toContain("--require-sessions");
  });
});
