/** May this be typed: by who reads it, in sessions whose terminals, persons and policies the test plays. */
import { Settings, type SettingsInput } from "@pi-bash/contract";
import type { TerminalReaderFacts } from "@pi-bash/executor";
import { type Approval, createPolicy, type PolicyMode } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { BashToolSession } from "../../src/session.ts";
import { parseKey } from "../../src/tasks/tty-keys.ts";
import type { Typed } from "../../src/tasks/typed-line.ts";
import { judgeTyping } from "../../src/tasks/typing-judge.ts";
import { playedTerminal, READER } from "../support/played-terminal.ts";
import { scene, thrown } from "../support/session.ts";

const key = (name: string): Typed => ({ key: parseKey(name) });
const text = (of: string): Typed => ({ text: of, isPasted: false });
const program = (name: string, pid = READER.pid): TerminalReaderFacts => ({ pid, name, isDenied: false });
const SECRET = { kind: "secret", program: "ssh", since_ms: 1, certain: true } as const;

interface Played {
  facts?: Parameters<typeof playedTerminal>[0];
  mode?: PolicyMode;
  sandboxed?: boolean;
  settings?: SettingsInput;
  answer?: Approval;
  ports?: Partial<BashToolSession>;
}

/** A terminal, and a person who answers so. */
function guarded({ facts, mode = "default", sandboxed = false, settings = {}, answer, ports = {} }: Played = {}) {
  const played = playedTerminal(facts);
  const asked: {
    command: string;
    description: string | undefined;
    cwd: string | undefined;
    codes: string[];
    messages: string[];
    rules: readonly string[];
  }[] = [];
  let answers: Approval = answer ?? { behavior: "allow" };
  const { session, folder } = scene(settings, {
    policy: createPolicy(),
    policyContext: () => ({ mode, sandboxed }),
    approve: async ({ command, description, cwd }, { reasons, suggestedRules }) => {
      const [codes, messages] = [reasons.map(({ code }) => code), reasons.map(({ message }) => message)];
      asked.push({ command, description, cwd, codes, messages, rules: suggestedRules });
      return answers;
    },
    ...ports,
  });
  const judge = (...typed: Typed[]) =>
    judgeTyping(session, {
      taskId: "bash:bg_1",
      terminal: played.terminal,
      typed,
      cwd: folder,
      settings: Settings.parse(settings),
      signal: undefined,
    });
  return {
    ...played,
    folder,
    judge,
    /** Judges it, and notes it as typed. */
    type: async (...typed: Typed[]) => (await judge(...typed))(),
    answer: (next: Approval) => {
      answers = next;
    },
    news: () => asked.splice(0),
  };
}

describe("a text for a shell", () => {
  const facts = { reader: program("bash") };

  it("is asked about as the command that Enter runs, and not before", async () => {
    const { type, news, folder } = guarded({ facts });
    await type(text("touch "));
    await type(text("x"));
    expect(news()).toEqual([]);
    await type(key("Enter"));
    expect(news()).toMatchObject([
      { command: "touch x", cwd: folder, description: "typed into `bash` of task bash:bg_1", rules: [] },
    ]);
  });

  it("is not asked about where nothing stands in the line", async () => {
    const { type, news } = guarded({ facts });
    await type(key("Enter"));
    await type(text("  "), key("Enter"));
    await type(key("Ctrl-C"), key("Up"));
    expect(news()).toEqual([]);
  });

  it("is asked about where the line is not known, which a question says", async () => {
    const { type, news } = guarded({ facts });
    await type(key("Up"), key("Enter"));
    expect(news()).toMatchObject([
      { command: "", codes: ["typed-line-unknown"], messages: ["the line that runs is not known after `Up`"] },
    ]);
    await type(text("ls"), key("Enter"));
    expect(news().flatMap(({ codes }) => codes)).not.toContain("typed-line-unknown");
  });

  it("is noted only where it was typed", async () => {
    const { judge, type, news } = guarded({ facts });
    await judge(text("rm -r y; "));
    await type(text("touch x"));
    await type(key("Enter"));
    expect(news()).toMatchObject([{ command: "touch x" }]);
  });

  it("is refused where a person says so, and the line stands as it was", async () => {
    const { type, judge, answer, news } = guarded({ facts });
    await type(text("touch x"));
    answer({ behavior: "deny" });
    expect((await thrown(judge(key("Enter")))).message).toContain("not approved");
    answer({ behavior: "allow" });
    await type(key("Enter"));
    expect(news().map(({ command }) => command)).toEqual(["touch x", "touch x"]);
  });

  it("that never runs is refused without a policy, too, and all else runs", async () => {
    const { type, judge, news } = guarded({ facts, ports: { policy: undefined, approve: undefined } });
    expect((await thrown(judge(text("rm -rf /"), key("Enter")))).message).toContain("blocked by policy");
    await type(text("touch x"), key("Enter"));
    await type(key("Up"), key("Enter"));
    expect(news()).toEqual([]);
  });

  it.each<[PolicyMode, boolean, number]>([
    ["yolo", false, 0],
    ["auto", true, 0],
    ["auto", false, 1],
    ["default", false, 1],
  ])(
    "is asked about in mode `%s` (in a sandbox: %s) so often where its line is unknown: %d",
    async (mode, sandboxed, count) => {
      const { type, news } = guarded({ facts, mode, sandboxed });
      await type(key("Up"), key("Enter"));
      expect(news()).toHaveLength(count);
    },
  );
});

describe("a text for another program", () => {
  it("that makes data of it needs no question", async () => {
    const { type, news } = guarded({ facts: { reader: program("cat") } });
    await type(text("rm -rf /"), key("Enter"));
    expect(news()).toEqual([]);
  });

  it("is asked about with what is typed", async () => {
    const { type, news, folder } = guarded({ facts: { reader: program("vim") } });
    await type(text(":!ls"), key("Enter"), key("Alt-x"));
    expect(news()).toMatchObject([
      {
        command: ":!ls<Enter><Alt-x>",
        cwd: folder,
        description: "typed into `vim` of task bash:bg_1",
        rules: ["for this task"],
      },
    ]);
  });

  it.each<[string, TerminalReaderFacts | undefined, string]>([
    ["typed-commands", program("vim"), "`vim` can run what is typed"],
    ["typed-denied", { ...program("su"), isDenied: true }, "`su` may not be looked at, and can run what is typed"],
    ["typed-unknown", undefined, "which program will read what is typed is not known"],
  ])("is asked about for the reason `%s`", async (code, reader, message) => {
    const { type, news } = guarded({ facts: { reader } });
    await type(text("x"));
    const [question] = news();
    expect(question?.codes).toContain(code);
    expect(question?.messages).toContain(message);
    expect(question?.rules).toEqual(code === "typed-commands" ? ["for this task"] : []);
  });

  it.each([
    "Up",
    "Ctrl-Left",
    "Shift-PageDown",
    "Escape",
    "Ctrl-C",
    "Ctrl-D",
    "Ctrl-L",
    "Ctrl-Z",
    "Ctrl-\\",
    "F5",
    "Tab",
    "Shift-Tab",
  ])("needs no question where it is %s alone", async (name) => {
    const { type, news } = guarded({ facts: { reader: program("vim") } });
    await type(key(name));
    await type(text(""));
    expect(news()).toEqual([]);
  });

  it.each(["Enter", "Space", "Alt-x", "Ctrl-E", "Backspace", "Alt-Enter", "Delete", "Ctrl-X"])(
    "is asked about where it is %s",
    async (name) => {
      const { type, news } = guarded({ facts: { reader: program("vim") } });
      await type(key("Up"), key(name));
      expect(news()).toHaveLength(1);
    },
  );

  it("is allowed for the rest of the task where a person says so, of this process alone", async () => {
    const { type, news, answer, set } = guarded({ facts: { reader: program("vim") } });
    answer({ behavior: "allow", remember: "for this task" });
    await type(text("a"));
    expect(news()).toHaveLength(1);
    await type(text("b"));
    expect(news()).toEqual([]);
    set({ reader: program("vim", READER.pid + 1) });
    await type(text("c"));
    expect(news()).toHaveLength(1);
  });

  it.each<Approval>([{ behavior: "allow" }, { behavior: "allow", remember: "Bash(vim)" }])(
    "is allowed once by %j",
    async (answer) => {
      const { type, news } = guarded({ facts: { reader: program("vim") }, answer });
      await type(text("a"));
      await type(text("b"));
      expect(news()).toHaveLength(2);
    },
  );

  it("is not allowed for the task by an answer that was not offered", async () => {
    const answer = { behavior: "allow", remember: "for this task" } as const;
    const { type, news } = guarded({ facts: { reader: undefined }, answer });
    await type(text("a"));
    await type(text("b"));
    expect(news()).toHaveLength(2);
  });

  it("needs no question without a policy, nor where nothing is asked", async () => {
    for (const more of [{ mode: "yolo" as const }, { ports: { policy: undefined } }]) {
      const { type, news } = guarded({ facts: { reader: program("vim") }, ...more });
      await type(text("a"));
      expect(news()).toEqual([]);
    }
  });

  it("is not typed where another program came to the front while it was judged", async () => {
    const { judge, set } = guarded({ facts: { reader: program("cat") } });
    const late = judge(text("a"));
    set({ reader: program("bash", READER.pid + 1) });
    expect((await thrown(late)).message).toMatch(/^Another program came to the foreground of bash:bg_1/);
    set({ reader: program("cat") });
    const gone = judge(text("a"));
    set({ reader: undefined });
    await gone;
  });
});

describe("a text for a prompt that does not show it", () => {
  const facts = { reader: program("cat"), waiting: SECRET };

  it.each([[text("x")], [key("Space")], [key("Alt-x")]])("is refused where it has characters: %j", async (typed) => {
    const { judge, news } = guarded({ facts });
    expect((await thrown(judge(typed))).message).toBe(
      "`ssh` of bash:bg_1 asks for a secret: a person has to type it, text from you is refused. task_await returns when it goes on.",
    );
    expect(news()).toEqual([]);
  });

  it("may be left and ended by keys", async () => {
    const { type } = guarded({ facts });
    await type(key("Ctrl-C"));
    await type(key("Enter"), text(""));
    await type(key("Up"));
  });

  it("is asked about where the setting says so, without the text", async () => {
    const settings = { "tty.modelSecrets": "ask" } as const;
    const { type, news } = guarded({ facts, settings });
    await type(text("hunter2"));
    const [question] = news();
    expect(question?.command).toBe("(text for a prompt that does not show it)");
    expect(question?.codes).toContain("typed-secret");
    expect(JSON.stringify(question)).not.toContain("hunter2");
    const open = guarded({ facts, settings, ports: { policy: undefined } });
    expect((await thrown(open.judge(text("x")))).message).toContain("asks for a secret");
  });
});
