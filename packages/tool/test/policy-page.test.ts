/** What `docs/policy.md` says under "In the bash tool" and no other file here holds: who is asked, for how long, and where. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Approval, createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { scene, textOf, thrown } from "./support/session.ts";

describe("a question", () => {
  it("goes to `session.approve`, else to the policy's own `approve`", async () => {
    const asked: string[] = [];
    const answering = (who: string) => () =>
      Promise.resolve<Approval>({ behavior: asked.push(who) ? "allow" : "deny" });
    const policy = createPolicy({ approve: answering("policy") });

    await scene({}, { policy }).bash({ command: "touch a" });
    await scene({}, { policy, approve: answering("session") }).bash({ command: "touch a" });

    expect(asked).toEqual(["policy", "session"]);
  });

  it("ends after `bash.approvalTimeoutMs`, and nothing runs", async () => {
    const approve = () => new Promise<Approval>(() => undefined);
    const { bash, folder } = scene({ "bash.approvalTimeoutMs": 50 }, { policy: createPolicy(), approve });

    expect((await thrown(bash({ command: "touch a" }))).message).toContain("not approved");
    expect(existsSync(join(folder, "a"))).toBe(false);
  });
});

describe("a dangerous variable that a line sets by itself", () => {
  const yolo = { policy: createPolicy(), policyContext: () => ({ mode: "yolo" }) as const };

  it("passes in `yolo`, where the same name in `env` asks", async () => {
    const { bash } = scene({}, yolo);

    expect(textOf(await bash({ command: 'GIT_EDITOR=./x bash -c "echo \\$GIT_EDITOR"' }))).toMatch(/^\.\/x\n/);
    expect((await thrown(bash({ command: "true", env: { GIT_EDITOR: "./x" } }))).message).toContain("`GIT_EDITOR`");
  });

  it("taints the session where it stays: rules that name commands and read-only tables approve nothing more", async () => {
    const policy = createPolicy({ allow: ["Bash(export **)", "Bash(ls)"] });
    const { bash } = scene({}, { policy });

    await bash({ command: "export PATH=$PATH:/nowhere" });

    expect((await thrown(bash({ command: "ls" }))).message).toContain("changed this session earlier");
  });
});
