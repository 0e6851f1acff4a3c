/** Who reads what is typed, as its process says, and what of a typed line the session's policy is given. */
import { spawn } from "node:child_process";
import { Settings } from "@pi-bash/contract";
import type { SessionPlace } from "@pi-bash/executor";
import type { AuthorizeOptions, PolicyRequest } from "@pi-bash/policy";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { parseKey } from "../../src/tasks/tty-keys.ts";
import type { Typed } from "../../src/tasks/typed-line.ts";
import { judgeTyping } from "../../src/tasks/typing-judge.ts";
import { ALLOWED } from "../support/allowing.ts";
import { playedTerminal, READER } from "../support/played-terminal.ts";
import { scene, thrown } from "../support/session.ts";

const key = (name: string): Typed => ({ key: parseKey(name) });
const text = (of: string): Typed => ({ text: of, isPasted: false });
const ENTER = key("Enter");
const PLACE = { name: "ssh:build7" } as SessionPlace;

/** A terminal, and a policy that allows everything and keeps what it was asked. */
function desk(facts: Parameters<typeof playedTerminal>[0], ports: Partial<TaskSession> = {}) {
  const { terminal } = playedTerminal(facts);
  const asked: { request: PolicyRequest; options: AuthorizeOptions }[] = [];
  const { session, folder } = scene(
    {},
    {
      policy: {
        authorize: async (request, options = {}) => {
          asked.push({ request, options });
          return ALLOWED;
        },
        observe: () => undefined,
      },
      ...ports,
    },
  );
  const settings = Settings.parse({});
  const judge = (...typed: Typed[]) =>
    judgeTyping(session, { taskId: "bash:bg_1", terminal, typed, cwd: folder, settings, signal: undefined });
  return { terminal, asked, folder, judge, codes: () => asked.flatMap(({ request }) => request.doubts ?? []) };
}

const reader = (name: string, pid: number = READER.pid) => ({ reader: { pid, name, isDenied: false } });

/** A bash that waits for its input in that folder, and goes away after the test. */
function bash(cwd: string, ...args: string[]): number {
  const child = spawn("bash", args, { cwd, stdio: ["pipe", "ignore", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.pid === undefined) throw new Error("bash did not start");
  return child.pid;
}

describe.runIf(process.platform === "linux")("a reader", () => {
  it("is what its process runs, too, and not only what it is called", async () => {
    const called = desk(reader("cat"));
    await called.judge(text("touch x"), ENTER);
    expect(called.asked).toEqual([]);
    const runs = desk(reader("cat", bash("/", "--norc")));
    await runs.judge(text("touch x"), ENTER);
    expect(runs.asked.map(({ request }) => request.command)).toEqual(["touch x"]);
  });

  it("that was started with what it runs is not a shell, however it is called", async () => {
    const { asked, judge } = desk(reader("bash", bash("/", "-c", "read x; echo $x")));
    await judge(text("touch x"), ENTER);
    expect(asked).toEqual([]);
  });

  it("on another machine is only what it is called", async () => {
    const { asked, judge } = desk(reader("cat", bash("/", "--norc")), { place: PLACE });
    await judge(text("touch x"), ENTER);
    expect(asked).toEqual([]);
  });

  it("that is a shell stands in its folder, as far as that is known here", async () => {
    const elsewhere = scratchFolder();
    const pid = bash(elsewhere, "--norc");
    const known = desk(reader("bash", pid));
    await known.judge(text("touch x"), ENTER);
    expect(known.asked[0]?.request.cwd).toBe(elsewhere);
    for (const unknown of [desk(reader("bash", pid), { place: PLACE }), desk(reader("bash"))]) {
      await unknown.judge(text("touch x"), ENTER);
      expect(unknown.asked[0]?.request.cwd).toBe(unknown.folder);
    }
  });
});

describe("a typed line", () => {
  it("is judged as a command of its own on a terminal, which may write", async () => {
    const { asked, judge } = desk(reader("bash"));
    await judge(text("touch x"), ENTER);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.options.sessionKey).toBeUndefined();
    expect(asked[0]?.request).toMatchObject({ command: "touch x", unconfined: false, hold: "none" });
  });

  it("has a doubt about all of it where it is not known", async () => {
    const { judge, codes } = desk(reader("bash"));
    await judge(key("Up"), text("abc"), ENTER);
    expect(codes()).toMatchObject([{ code: "typed-line-unknown", span: { start: 0, end: 3 } }]);
  });

  it("is doubted outside of a sandbox whose commands run unasked, and in other modes inside of one", async () => {
    for (const [mode, sandboxed, isDoubted] of [
      ["default", true, true],
      ["auto", false, true],
      ["auto", true, false],
      ["yolo", false, false],
    ] as const) {
      const { judge, codes } = desk(reader("bash"), { policyContext: () => ({ mode, sandboxed }) });
      await judge(key("Up"), text("abc"), ENTER);
      expect(codes(), mode).toHaveLength(isDoubted ? 1 : 0);
    }
  });
});

describe("a prompt for a secret", () => {
  const secret = { waiting: { kind: "secret", program: "ssh", since_ms: 1, certain: true } } as const;

  it("refuses a text with its Enter as it does the text alone, and takes keys that are none", async () => {
    const { judge } = desk({ ...reader("cat"), ...secret });
    for (const typed of [[text("x")], [text("x"), ENTER], [ENTER, text("x")], [key("Alt-x")], [key("Space")]])
      expect((await thrown(judge(...typed))).message).toMatch(/asks for a secret: a person has to type it/);
    for (const typed of [[ENTER], [key("Alt-Up")], [key("Ctrl-C")], [text(""), ENTER]]) await judge(...typed);
  });
});

it("a program that is not known is not another one when it becomes known while that is judged", async () => {
  let looks = 0;
  const { judge, terminal, codes } = desk({ reader: undefined });
  const look = () => {
    looks += 1;
    return looks === 1 ? undefined : READER;
  };
  Object.defineProperty(terminal, "reader", { get: look });
  await judge(text("x"), ENTER);
  expect(codes()).toMatchObject([{ code: "typed-unknown" }]);
});
