/** What `pi-bash mcp` does for one client and not for another: how much it sends, links, terminals. */
import type { VersionNegotiationMode } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { meet } from "../../../test/support/rendezvous.ts";
import { background, connect } from "./support/mcp-client.ts";

describe.each<{ mode: VersionNegotiationMode }>([{ mode: "legacy" }, { mode: { pin: "2026-07-28" } }])(
  "an MCP client of $mode",
  ({ mode }) => {
    it("has calls that only read run beside each other, and the shell keeps its state", async () => {
      const { folder, call } = await connect({ mode });
      await call("bash", { command: "kept=yes" });

      const answers = await meet(folder, (command) => call("bash", { command }));

      expect(answers.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^left met\n/),
        expect.stringMatching(/^right met\n/),
      ]);
      expect((await call("bash", { command: 'echo "$kept"' })).text).toMatch(/^yes\n/);
    });

    it("is sent links to resources once it has shown that it reads some", async () => {
      const { client, call } = await connect({ mode });

      const before = await call("bash", { command: "seq 1 100000" });
      await client.listResources();
      const after = await call("bash", { command: "seq 1 100000" });

      expect(before.link).toBeUndefined();
      expect(after.link).toMatchObject({ type: "resource_link", uri: expect.stringMatching(/^artifact:\/\/\w+$/) });
    });

    it.each([
      ["claude-code", 53_248, undefined],
      ["codex-mcp-client", 10_000, undefined],
      ["gemini-cli-mcp-client", 40_000, undefined],
      ["opencode", 51_200, 2_000],
      ["a client that no one knows", 10_000, 2_000],
    ])(
      "reads, as %s, results of at most %d bytes and %s lines, with status and address",
      async (name, bytes, lines) => {
        const { call } = await connect({ mode, name });

        const wide = await call("bash", { command: "seq -f %040.0f 1 5000; exit 3" });
        const long = await call("bash", { command: "yes y | head -n 4500; exit 3" });

        for (const { text } of [wide, long]) {
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
          if (lines !== undefined) expect(text.split("\n").length).toBeLessThanOrEqual(lines);
          expect(text).toMatch(/\nCommand exited with code 3$/);
        }
        // As much as fits.
        expect(Buffer.byteLength(wide.text)).toBeGreaterThan(bytes - 3_000);
        expect(wide.text).toMatch(/\[Showing lines \d+-5000 of 5000 \(\d+\.\dKB limit\)\. Full: artifact:\/\/\w+\]/);
        if (lines !== undefined) expect(long.text).toMatch(/\(\d+ lines limit\)\. Full: artifact:\/\/\w+\]/);
      },
    );
  },
);

it("a window that was asked for is no client's", async () => {
  const words = ["--setting", "bash.outputMaxBytes=20000", "--setting", "bash.outputMaxLines=1500"];
  const { client, call } = await connect({ name: "codex-mcp-client", words });

  const { text } = await call("bash", { command: "yes | head -n 3000" });
  const { tools } = await client.listTools();

  expect(text).toMatch(/\[Showing lines 1501-3000 of 3000 \(1500 lines limit\)/);
  expect(tools.map(({ _meta }) => _meta)).toEqual(tools.map(() => ({ "anthropic/maxResultSizeChars": 100_000 })));
});

it("a task's output fits the client as well, and the address of what is left out is named", async () => {
  const { call } = await connect({ name: "opencode" });

  const started = await call("task", background("seq 1 5000"));
  const { taskId } = started.details as { taskId: string };
  const { text } = await call("task_await", { task_ids: [taskId], min_completed: 1 });

  expect(text.split("\n").length).toBeLessThanOrEqual(2_000);
  expect(text).toMatch(/\n5000\n/);
  expect(text).toMatch(/Lines 1-\d+ are left out here: artifact:\/\/\w+\?lines=1-\d+/);
});

it("no terminal is offered where no one can type", async () => {
  const { client } = await connect();

  const { tools } = await client.listTools();

  expect(tools[0]?.inputSchema.properties).not.toHaveProperty("pty");
  expect(tools[0]?.description).not.toContain("pty");
});
