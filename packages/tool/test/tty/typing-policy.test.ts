/**
 * What is typed into a shell is judged when Enter runs it, as the line that it is; other programs by what they make of it. Case
 * 23 of the study, and the modes.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "@pi-bash/contract";
import { type Approval, createPolicy, type PolicyMode, type PolicyRequest, type Verdict } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { thrown } from "../support/session.ts";
import { ttyScene } from "./support.ts";

interface Question {
  command: string;
  description: string | undefined;
  cwd: string | undefined;
  codes: string[];
  rules: readonly string[];
}

/** A scene whose person is asked, and answers as the test says. */
async function guarded({ mode, settings = {} }: { mode?: PolicyMode; settings?: SettingsInput } = {}) {
  const asked: Question[] = [];
  let answerWith: (question: Question) => Approval = () => ({ behavior: "allow" });
  const approve = async (request: PolicyRequest, verdict: Verdict): Promise<Approval> => {
    const { command, description, cwd } = request;
    const codes = verdict.reasons.map(({ code }) => code);
    const question = { command, description, cwd, codes, rules: verdict.suggestedRules };
    asked.push(question);
    return answerWith(question);
  };
  const scene = await ttyScene(settings, {
    policy: createPolicy({}),
    approve,
    ...(mode === undefined ? {} : { policyContext: () => ({ mode }) }),
  });
  return {
    ...scene,
    asked,
    answers: (how: typeof answerWith) => {
      answerWith = how;
    },
    /** What was asked since the last time. */
    news: () => asked.splice(0),
  };
}

const deny = (): Approval => ({ behavior: "deny", reason: "no" });

describe.skipIf(process.platform !== "linux")("text for a shell (who reads is known on Linux)", () => {
  it("23: is judged as one line over several sends, at Enter, and in the shell's own folder", async () => {
    const { open, send, answers, news, folder, terminate } = await guarded();
    const { taskId } = await open("bash --norc -i");
    expect(news()[0]?.description).toBe("a command; on a terminal, and what the model types into it");
    writeFileSync(join(folder, "victim"), "x");
    answers(deny);

    await send(taskId, { text: "rm -rf", enter: false, wait_secs: 1 });
    await send(taskId, { text: " victim", enter: false, wait_secs: 1 });
    expect(news()).toEqual([]);
    const refused = await thrown(send(taskId, { keys: ["Enter"] }));
    expect(refused.message).toContain("not approved");
    expect(news()).toMatchObject([
      { command: "rm -rf victim", cwd: folder, description: `typed into \`bash\` of task ${taskId}` },
    ]);
    expect(existsSync(join(folder, "victim"))).toBe(true);

    await send(taskId, { keys: ["Ctrl-C"] });
    answers(() => ({ behavior: "allow" }));
    await send(taskId, { text: "cd /tmp" });
    news();
    await send(taskId, { text: "touch pi-bash-typed && rm pi-bash-typed" });
    expect(news()).toMatchObject([{ cwd: "/tmp" }]);
    await terminate(taskId);
  });

  it("23: is asked about where a recalled line or a completion makes it unknown, and judged in each line of a paste", async () => {
    const { open, send, answers, news, folder, terminate } = await guarded();
    const { taskId } = await open("bash --norc -i");
    news();
    answers(deny);
    await thrown(send(taskId, { keys: ["Up", "Enter"] }));
    expect(news()[0]?.codes).toContain("typed-line-unknown");
    await thrown(send(taskId, { text: "cat /et\t" }));
    expect(news()[0]?.codes).toContain("typed-line-unknown");
    await thrown(send(taskId, { text: "echo one\ntouch made" }));
    expect(news()).toMatchObject([{ command: "echo one\ntouch made" }]);
    expect(existsSync(join(folder, "made"))).toBe(false);
    await terminate(taskId);
  });

  it("that never runs is refused with and without a policy", async () => {
    for (const ports of [{}, { policy: undefined }]) {
      const { open, send, terminate } = await ttyScene(
        {},
        { policy: createPolicy({}), policyContext: () => ({ mode: "yolo" }), ...ports },
      );
      const { taskId } = await open("bash --norc -i");
      const refused = await thrown(send(taskId, { text: "rm -rf /" }));
      expect(refused.message).toContain("Command blocked by policy");
      await terminate(taskId);
    }
  });

  it("is data where the shell was started with a script: the task's approval covers it", async () => {
    const { open, send, answers, news } = await guarded();
    const { taskId } = await open('read -p "Name: " n; echo "<$n>"');
    news();
    answers(deny);
    expect((await send(taskId, { text: "ada" })).text).toContain("<ada>");
    expect(news()).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("text for other programs (who reads is known on Linux)", () => {
  it("that can run it is asked about, and may be allowed for the task and never as a rule", async () => {
    const { open, send, answers, news, terminate } = await guarded();
    const { taskId } = await open("python3 -q");
    news();
    answers(deny);
    expect((await thrown(send(taskId, { text: "1+1" }))).message).toContain("not approved");
    expect(news()).toMatchObject([{ codes: ["typed-commands"], rules: ["for this task"] }]);

    answers(() => ({ behavior: "allow" }));
    expect((await send(taskId, { text: "1+1" })).text).toMatch(/^2$/m);
    expect(news().length).toBe(1);
    answers(() => ({ behavior: "allow", remember: "for this task" }));
    await send(taskId, { text: "2+2" });
    expect(news().length).toBe(1);
    answers(deny);
    expect((await send(taskId, { text: "3+3" })).text).toMatch(/^6$/m);
    expect(news()).toEqual([]);
    await terminate(taskId);

    answers(() => ({ behavior: "allow" }));
    const other = await open("python3 -q");
    news();
    answers(deny);
    await thrown(send(other.taskId, { text: "1+1" }));
    expect(news().length).toBe(1);
    await terminate(other.taskId);
  });

  it("needs no question where its keys stop, scroll or leave, nor where the mode asks nothing", async () => {
    const { open, send, answers, news, terminate } = await guarded();
    const { taskId } = await open("python3 -q");
    news();
    answers(deny);
    await send(taskId, { keys: ["Ctrl-C"] });
    await send(taskId, { keys: ["Escape"], wait_secs: 1 });
    expect(news()).toEqual([]);
    await terminate(taskId);

    const yolo = await guarded({ mode: "yolo" });
    const free = await yolo.open("python3 -q");
    expect((await yolo.send(free.taskId, { text: "1+1" })).text).toMatch(/^2$/m);
    expect(yolo.news()).toEqual([]);
    await yolo.terminate(free.taskId);
  });

  it("is asked about where it is not known which program will read it", async () => {
    const { open, send, answers, news, terminate } = await guarded();
    const { taskId } = await open("while :; do :; done", { run_in_background: true });
    news();
    answers(deny);
    await thrown(send(taskId, { text: "x" }));
    expect(news()).toMatchObject([{ codes: ["typed-unknown"] }]);
    await terminate(taskId);
  });

  it("that does not show it is asked about instead of refused where `tty.modelSecrets` says so", async () => {
    const { open, send, news } = await guarded({ settings: { "tty.modelSecrets": "ask" } });
    const { taskId } = await open("read -s -p 'Token: ' t; echo; echo ${#t}");
    news();
    expect((await send(taskId, { text: "12345" })).text).toMatch(/^5$/m);
    const [question] = news();
    expect(question?.codes).toEqual(["typed-secret"]);
    expect(question?.command).not.toContain("12345");
  });
});

describe("a mode that only reads", () => {
  it("has no terminals, and a reading command is asked about on one", async () => {
    const plan = await guarded({ mode: "plan" });
    expect((await thrown(plan.open("git log"))).message).toContain("`tty` is refused while only reading is allowed");
    expect(await plan.list({ statuses: ["running", "reported"] })).toEqual([]);

    const { open, news, answers } = await guarded();
    answers(deny);
    await thrown(open("cat f"));
    expect(news().length).toBe(1);
  });
});
