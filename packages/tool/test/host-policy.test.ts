/** What a host's own policy is given of a call, and that the tool does what it answers, no more and no less. */
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "@pi-bash/contract";
import type { Authorization, AuthorizeOptions, PolicyRequest } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { PolicyPort } from "../src/approvals.ts";
import type { BashToolSession } from "../src/session.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { ALLOWED, ALLOWS } from "./support/allowing.ts";
import { playedScene } from "./support/played-executor.ts";
import { jobs, thrown } from "./support/session.ts";
import { taskScene } from "./support/tasks.ts";

const COMMAND = "touch x";

type Answer = (request: PolicyRequest, options: AuthorizeOptions) => Promise<Authorization>;

/** A session whose policy answers so. */
function judged(
  answer: Answer = async () => ALLOWED,
  ports: Partial<BashToolSession> = {},
  settings: SettingsInput = {},
) {
  const asked: { request: PolicyRequest; options: AuthorizeOptions }[] = [];
  const observed: string[] = [];
  const policy: PolicyPort = {
    authorize: (request, options = {}) => {
      asked.push({ request, options });
      return answer(request, options);
    },
    observe: (command, key) => void observed.push(`${key}: ${command}`),
  };
  return { asked, observed, ...playedScene({ settings }, { policy, ...ports }) };
}

describe("a host's policy", () => {
  it("is given the call and the session as they are", async () => {
    const { bash, asked, folder } = judged();
    await bash({ command: COMMAND, env: { A: "b" } });
    const { request, options } = asked[0] ?? {};
    expect(request).toMatchObject({
      command: COMMAND,
      cwd: folder,
      workspace: folder,
      env: { A: "b" },
      home: join(folder, "home"),
      unconfined: false,
      hold: "kernel",
      doubts: [],
    });
    expect(request).not.toHaveProperty("original");
    expect(request).not.toHaveProperty("place");
    expect(options?.sessionKey).toBe("agent-1");
  });

  it("is given the text of the model where another one runs", async () => {
    const { bash, asked, folder } = judged();
    mkdirSync(join(folder, "a"));
    await bash({ command: `cd a && ${COMMAND}` });
    expect(asked[0]?.request).toMatchObject({
      command: COMMAND,
      cwd: join(folder, "a"),
      original: { command: `cd a && ${COMMAND}`, cwd: folder },
    });
  });

  it("is given what the host says of the session, and whether the call asks to write", async () => {
    const policyContext = () => ({ mode: "acceptEdits" as const, trusted: true });
    const { bash, asked } = judged(undefined, { policyContext });
    await bash({ command: COMMAND, unconfined: true });
    expect(asked[0]?.request).toMatchObject({ mode: "acceptEdits", trusted: true, unconfined: true });
  });

  it("is given the place and its home, where commands run on one", async () => {
    const stat = async (path: string) => ({ kind: "directory", realPath: path }) as const;
    const place = { name: "ssh:build7", cwd: "/far", home: "/home/far", stat };
    const far = judged(undefined, { place, cwd: "/far" });
    await far.bash({ command: COMMAND });
    expect(far.asked[0]?.request).toMatchObject({ place: "ssh:build7", home: "/home/far", workspace: "/far" });
    const homeless = judged(undefined, { place: { ...place, home: undefined }, cwd: "/far" });
    await homeless.bash({ command: COMMAND });
    expect(homeless.asked[0]?.request.home).toBe("/");
  });

  it("is given no session for a job, which has a shell of its own, and is not notified of what it runs", async () => {
    const settings = { "async.enabled": true };
    const { bash, asked, observed } = judged(undefined, { asyncJobManager: await jobs() }, settings);
    await bash({ command: COMMAND, async: true });
    expect(asked[0]?.options.sessionKey).toBeUndefined();
    expect(observed).toEqual([]);
  });

  it("is notified of what runs in a session, before it runs, also where that has no id", async () => {
    const { bash, observed, runs } = judged(undefined, { getSessionId: () => undefined });
    await bash({ command: COMMAND });
    expect(observed).toEqual([`: ${COMMAND}`]);
    expect(runs).toHaveLength(1);
    const own = judged();
    await own.bash({ command: COMMAND });
    expect(own.observed).toEqual([`agent-1: ${COMMAND}`]);
  });

  it("refuses a call, and the model reads why", async () => {
    const reasons = Array.from({ length: 12 }, (_, at) => ({
      code: `c${at}`,
      severity: "write" as const,
      message: "it writes",
      span: { start: 0, end: 1 },
      ...(at === 0 ? { argv: ["touch", "x"], needsKernel: true as const } : {}),
    }));
    const verdict = { ...ALLOWS, behavior: "deny" as const, reasons, suggestedRules: ["Bash(touch x)"] };
    const { bash, runs, observed } = judged(async () => ({
      behavior: "deny",
      by: "policy",
      verdict,
      message: "not here",
    }));
    const error = await thrown(bash({ command: COMMAND }));
    expect(error.message).toBe("not here");
    const refusal = error.details?.refusal;
    expect(refusal).toMatchObject({
      by: "policy",
      class: "not-readonly",
      suggestedRules: ["Bash(touch x)"],
      display: COMMAND,
    });
    expect(refusal?.reasons).toHaveLength(10);
    expect(refusal?.reasons[0]).toStrictEqual({
      code: "c0",
      severity: "write",
      message: "it writes",
      span: { start: 0, end: 1 },
      argv: ["touch", "x"],
    });
    expect(refusal?.reasons[1]).not.toHaveProperty("argv");
    expect([...runs, ...observed]).toEqual([]);
  });

  it("sets variables that win over the call's own", async () => {
    const environment = { A: "policy" };
    const { bash, runs } = judged(async () => ({ ...ALLOWED, verdict: { ...ALLOWS, environment } }));
    await bash({ command: COMMAND, env: { A: "call", B: "call" } });
    expect(runs[0]?.options.env).toStrictEqual({ A: "policy", B: "call" });
  });

  it.each([
    [true, {}, "clone"],
    [false, {}, undefined],
    [true, { "bash.directoryPersists": true }, undefined],
  ])("says whether a call may run beside others: %s with %j", async (concurrencySafe, settings, overlap) => {
    const allowed = { ...ALLOWED, verdict: { ...ALLOWS, concurrencySafe } };
    const { bash, runs } = judged(async () => allowed, {}, settings);
    await bash({ command: "cd . && pwd" });
    expect(runs[0]?.options.overlap).toBe(overlap);
  });

  it("lets a call with a folder of its own run beside others, also where a `cd` lasts", async () => {
    const allowed = { ...ALLOWED, verdict: { ...ALLOWS, concurrencySafe: true } };
    const { bash, runs } = judged(async () => allowed, {}, { "bash.directoryPersists": true });
    await bash({ command: "pwd" });
    await bash({ command: "pwd", cwd: "." });
    expect(runs.map(({ options }) => options.overlap)).toEqual(["clone", "clone"]);
  });

  it("may not have a call confined where nothing confines it", async () => {
    const reading = { ...ALLOWS, reading: "confined" as const };
    const { bash, runs } = judged(async () => ({ ...ALLOWED, verdict: reading }));
    // A reader of a grade that needs something to hold it.
    const error = await thrown(bash({ command: "awk 1 f" }));
    expect(error.message).toBe(
      "The policy allows this command only where it runs confined, and nothing confines it here",
    );
    expect(runs).toEqual([]);
  });

  it("that allows by a person's word has the call run as any other", async () => {
    const reading = { ...ALLOWS, reading: "unheld" as const };
    const person = judged(async () => ({ behavior: "allow", by: "approval", verdict: reading }));
    expect((await person.bash({ command: "awk 1 f" })).details).not.toHaveProperty("readOnly");
    const own = judged(async () => ({ ...ALLOWED, verdict: reading }));
    expect((await own.bash({ command: "awk 1 f" })).details?.readOnly).toStrictEqual({
      enforced: false,
      reason: "it is played",
    });
  });

  it("ends the call where it is aborted meanwhile, whatever the answer", async () => {
    const controller = new AbortController();
    const { bash, runs } = judged(async () => {
      controller.abort();
      return ALLOWED;
    });
    expect(await thrown(bash({ command: COMMAND }, { signal: controller.signal }))).toBeInstanceOf(ToolAbortError);
    expect(runs).toEqual([]);
  });

  it("has time to answer, after which the folder has to be the same one", async () => {
    const { bash, runs, folder } = judged(async () => {
      renameSync(join(folder, "a"), join(folder, "b"));
      mkdirSync(join(folder, "a"));
      return ALLOWED;
    });
    mkdirSync(join(folder, "a"));
    const error = await thrown(bash({ command: COMMAND, cwd: "a" }));
    expect(error.message).toBe("The working directory changed after the call was checked; try again.");
    expect(runs).toEqual([]);
  });

  it("is not asked where the folder is missing", async () => {
    const { bash, asked } = judged();
    expect((await thrown(bash({ command: COMMAND, cwd: "a" }))).message).toMatch(/^Working directory does not exist: /);
    expect(asked).toEqual([]);
  });

  it("is not asked of a task on a terminal where only reading is allowed", async () => {
    const authorize = () => Promise.reject(new Error("it was asked"));
    const policy: PolicyPort = { authorize, observe: () => undefined };
    const scene = await taskScene({}, { policy, policyContext: () => ({ mode: "plan" }) });
    const error = await thrown(scene.run("bash", { tty: true }));
    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^`tty` is refused while only reading is allowed/);
    await expect(scene.run("touch x")).rejects.toThrow("it was asked");
  });
});
