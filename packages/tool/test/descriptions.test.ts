/** What a model reads about the tools, line by line: each is there in a session where it is true, and in no other. */
import { Settings, type SettingsInput } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { bashPrompt } from "../src/prompt.ts";
import type { BashToolSession } from "../src/session.ts";
import { blockingBudgetMs } from "../src/tasks/auto-background.ts";
import { createTaskTools } from "../src/tasks/task-tools.ts";
import { jobs, scene } from "./support/session.ts";
import { PlayedAgents, taskScene } from "./support/tasks.ts";

/** The lines about a session with these settings and ports. */
function lines(settings: SettingsInput = {}, ports: Partial<BashToolSession> = {}): string[] {
  return bashPrompt({ ...scene(settings).session, ...ports }, Settings.parse(settings)).split("\n");
}

describe("the description of the bash tool", () => {
  it("is five lines where a session has nothing else", () => {
    expect(lines().map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
      "Runs a command",
      "- Variables, functions",
      "- No standard",
      "- Of long",
      "- `timeout` is",
    ]);
    expect(lines()[4]).toBe("- `timeout` is in seconds, 300 if absent, at most 3600.");
    expect(lines({ defaultTimeout: 20_000, maxTimeout: 50_000 })[4]).toBe(
      "- `timeout` is in seconds, 20 if absent, at most 50.",
    );
  });

  it.each<[string, SettingsInput, Partial<BashToolSession>, RegExp]>([
    ["nothing lasts but names", {}, {}, /Each call starts in the workspace/],
    ["the folder lasts", { "bash.directoryPersists": true }, {}, /the folder of a `cd` stay for later calls/],
    [
      "nothing lasts",
      { "bash.directoryPersists": true },
      { keepsState: false },
      /^- Each command has a bash of its own/,
    ],
    ["the shell keeps its state", {}, { keepsState: true }, /^- Variables, functions and options stay/],
  ])("says what is there for the next call, where %s", (_, settings, ports, line) => {
    expect(lines(settings, ports)[1]).toMatch(line);
  });

  it("asks for a description only where calls without one are refused", () => {
    expect(lines({ requireDescription: true })).toContain(
      "- Say in `description` what the command does: calls without it are refused.",
    );
    expect(lines().join("\n")).not.toContain("`description`");
  });

  it("names jobs only where the settings and the session have them", async () => {
    const asyncJobManager = await jobs();
    const settings = {
      "async.enabled": true,
      "bash.autoBackground.enabled": true,
      "bash.autoBackground.thresholdMs": 1_500,
    };
    expect(lines(settings, { asyncJobManager }).slice(5)).toEqual([
      "- `async: true` starts a background job. Its result is delivered when it ends; do not poll.",
      "- A command that takes longer than 1.5 s becomes a background job.",
    ]);
    expect(lines(settings)).toHaveLength(5);
    expect(lines({}, { asyncJobManager })).toHaveLength(5);
  });

  it("names the URLs that lead somewhere", () => {
    const skills = [{ name: "a", filePath: "/a", baseDir: "/" }];
    const about = (internalUrls: BashToolSession["internalUrls"]) => lines({}, { internalUrls }).slice(5);
    expect(about({ skills, localRoot: "/x" })).toEqual([
      "- `skill://<name>/<path>`, `local://<path>` work as words of a command, too.",
    ]);
    expect(about({ skills })).toEqual(["- `skill://<name>/<path>` work as words of a command, too."]);
    expect(about({ localRoot: "/x" })).toEqual(["- `local://<path>` work as words of a command, too."]);
    for (const none of [undefined, {}, { skills: [] }]) expect(about(none)).toEqual([]);
  });

  it("names better tools where commands are intercepted, and the model has them", () => {
    const on = { "bashInterceptor.enabled": true };
    const toolNames = ["read", "search", "grep", "find", "glob", "edit", "write", "bash"];
    expect(lines(on, { toolNames }).slice(5)).toEqual([
      "- Use other tools where they fit: `read` for cat/head/tail, `search` for grep/rg, `grep` for grep/rg, `find` for find/fd, `glob` for find/fd, `edit` for sed -i, `write` for echo/cat redirection.",
    ]);
    expect(lines(on, { toolNames: ["edit"] }).slice(5)).toEqual([
      "- Use other tools where they fit: `edit` for sed -i.",
    ]);
    expect(lines(on, { toolNames: ["bash"] })).toHaveLength(5);
    expect(lines(on)).toHaveLength(5);
    expect(lines({}, { toolNames })).toHaveLength(5);
  });

  it("names a console only where there is one", () => {
    const pty = { run: () => Promise.reject(new Error("not used")) };
    expect(lines({}, { pty }).slice(5)).toEqual(["- `pty: true` only for programs that a person has to answer."]);
  });
});

describe("the description of the task tool", () => {
  const first = (text: string): string | undefined => text.split("\n")[1];

  it("says whether agents can be started from here", async () => {
    const agentTasks = new PlayedAgents();
    agentTasks.add("child", "root");
    const root = await taskScene({}, { agentTasks, getSessionId: () => "root" });
    expect(first(root.tools.task.description)).toMatch(/^- `subagent_type`/);
    expect(first(root.as("child").tools.task.description)).toMatch(/^- Agents cannot be started from here/);
    expect(first((await taskScene()).tools.task.description)).toMatch(/^- `kind: "bash"`/);
  });

  it("says after which time a command goes on in the background, where it does", async () => {
    const with_ = await taskScene({ "task.blockingBudgetMs": 1_500 });
    expect(with_.tools.task.description).toMatch(
      /\n- A command that takes longer than 1\.5 s goes on in the background\.$/,
    );
    const without = await taskScene({ "task.autoBackground": false });
    expect(without.tools.task.description).not.toContain("goes on in the background");
  });

  it("refuses a session with a misspelt port", async () => {
    const { session } = await taskScene();
    expect(() => createTaskTools({ ...session, agentTask: undefined } as typeof session)).toThrow(/agentTask/);
  });
});

describe("the time that a command may block its agent", () => {
  const settings = { "task.autoBackground": true, "task.blockingBudgetMs": 500, "task.neverBackground": ["cargo"] };

  it.each([
    ["make", 500],
    ["cargo build", Number.POSITIVE_INFINITY],
    ["A=b /usr/bin/cargo build", Number.POSITIVE_INFINITY],
    ["nice cargo build", Number.POSITIVE_INFINITY],
    ["make; cargo build", 500],
    ["$CARGO build", 500],
    ["if (", 500],
    ["", 500],
  ])("of `%s` is %d ms", (command, budget) => {
    expect(blockingBudgetMs(command, settings)).toBe(budget);
  });

  it("has no end where nothing goes to the background by itself", () => {
    expect(blockingBudgetMs("make", { ...settings, "task.autoBackground": false })).toBe(Number.POSITIVE_INFINITY);
  });
});
