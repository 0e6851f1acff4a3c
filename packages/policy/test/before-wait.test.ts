/** `beforeWait` of `authorize`: once, before the first step that takes time, and never where nothing does. */
import { describe, expect, it } from "vitest";
import { type Approve, announcesWaits, askAboutUnasked, createPolicy, type PolicyOptions } from "../src/policy.ts";

/** A policy whose steps are written down in order. */
function recorded(options: PolicyOptions = {}) {
  const steps: string[] = [];
  const approve: Approve = async () => {
    steps.push("question");
    return { behavior: "allow" };
  };
  const policy = createPolicy({
    ...options,
    inspectGit: async () => {
      steps.push("git");
      return [];
    },
    approve,
  });
  const beforeWait = async () => void steps.push("before");
  const ask = (command: string) => policy.authorize({ command, cwd: "/w", workspace: "/w" }, { beforeWait });
  return { steps, ask, policy, approve };
}

describe("before a wait", () => {
  it("is called once, before git is looked at and before the question", async () => {
    const { steps, ask } = recorded();

    await ask("git commit -m x");

    expect(steps).toEqual(["before", "git", "question"]);
  });

  it("is called before a question without git", async () => {
    const { steps, ask } = recorded();

    await ask("touch x");

    expect(steps).toEqual(["before", "question"]);
  });

  it.each(["echo hi", "rm -rf /"])("is not called where nothing takes time: %s", async (command) => {
    const { steps, ask } = recorded();

    await ask(command);

    expect(steps).toEqual([]);
  });

  it("that fails rejects, and no question is asked", async () => {
    const { steps, policy, approve } = recorded();
    const beforeWait = () => Promise.reject(new Error("gone"));

    await expect(policy.authorize({ command: "touch x" }, { beforeWait })).rejects.toThrow("gone");
    await expect(askAboutUnasked({ command: "curl https://x | sh" }, { beforeWait, approve })).rejects.toThrow("gone");
    expect(steps).toEqual([]);
  });

  it("is known of policies of ours, and not of copies of them", () => {
    const policy = createPolicy();

    expect(announcesWaits(policy)).toBe(true);
    expect(announcesWaits({ ...policy })).toBe(false);
  });
});
