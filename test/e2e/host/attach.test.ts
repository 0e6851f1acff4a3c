/**
 * What a person sees and ends from another terminal: `pi-bash sessions`, `attach` and `end`, at a real terminal.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keeping, LIMIT_MS, pidIn } from "../../support/kept.ts";
import { until, within } from "../../support/patience.ts";
import { isAlive, untilGone } from "../../support/process.ts";
import { atTerminal } from "./person.ts";

const background = (script: string) => ({
  kind: "bash",
  script,
  timeout_secs: 120,
  display_name: "x",
  run_in_background: true,
});

describe("attach", { timeout: 3 * LIMIT_MS }, () => {
  it("shows a job's output so far, then what follows, and has its exit status", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    const gate = join(kept.folder, "gate");
    await agent.call("task", background(`echo before; until [ -e ${gate} ]; do sleep 0.05; done; echo after; exit 9`));

    const person = atTerminal(kept, "attach web/bg_1");
    await person.sees("before");
    expect(person.text()).not.toContain("after");
    await kept.pi(["run", `touch ${gate}`]);

    expect(await person.end()).toBe(9);
    expect(person.text()).toContain("before\nafter");
    // The result is still its owner's.
    expect(await agent.call("task_await", { task_ids: ["bash:bg_1"], timeout_secs: 20 })).toContain("before\nafter");
  });

  it("is left by Ctrl-C, and what was looked at goes on", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    const pidFile = join(kept.folder, "pid");
    await agent.call("task", background(`echo $BASHPID >${pidFile}; echo begun; sleep 120`));
    const pid = await pidIn(pidFile);
    const person = atTerminal(kept, "attach web/bg_1");
    await person.sees("begun");

    person.type("\x03");

    expect(await person.end()).toBe(130);
    expect(person.text()).toContain("left `web/bg_1`, which goes on");
    expect(isAlive(pid)).toBe(true);
    const { stdout, status } = await kept.pi(["end", "web/bg_1"]);
    expect({ stdout, status }).toEqual({ stdout: "ended the job `web/bg_1`\n", status: 0 });
    await untilGone(pid);
  });

  it("shows the command that a call waits for, and the calls of a session", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    const gate = join(kept.folder, "gate");
    const onlooker = atTerminal(kept, "attach web");
    // It looks on when a call is shown; one before that is not.
    await until(
      "the onlooker to see calls",
      async () => {
        await agent.call("bash", { command: "echo looked for" });
        return onlooker.text().includes("looked for");
      },
      LIMIT_MS,
    );
    const call = agent.call("bash", { command: `echo first; until [ -e ${gate} ]; do sleep 0.05; done; echo second` });
    await onlooker.sees("echo first;");
    const listed: { id: string; kind: string }[] = JSON.parse((await kept.pi(["sessions", "--json"])).stdout);
    const id = listed.find(({ kind }) => kind === "command")?.id;
    const person = atTerminal(kept, `attach ${id}`);
    await person.sees("first");
    await kept.pi(["run", `touch ${gate}`]);

    expect(await person.end()).toBe(0);
    expect(person.text()).toContain("first\nsecond");
    expect(await call).toContain("second");
    await onlooker.sees("second");
    expect(onlooker.raw()).toContain("\x1b[");
    await kept.pi(["end", "web"]);
    expect(await onlooker.end()).toBe(0);
  });

  it("shows what a program writes, and does not obey it", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    await agent.call("task", background(`printf 'a\\033]0;title\\007b\\033]52;c;eA==\\007c\\n'`));

    const person = atTerminal(kept, "attach web/bg_1");

    expect(await person.end()).toBe(0);
    expect(person.text()).toContain("abc");
    expect(person.raw()).not.toContain("\x1b]");
  });

  it("of a flood shows its end, and says that there was more", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    await agent.call("task", background("seq 1 2000000"));
    await until("its end", async () => (await kept.pi(["sessions"])).stdout.includes("completed"), LIMIT_MS);

    const { stdout, stderr, status } = await kept.pi(["attach", "web/bg_1"]);

    expect(status).toBe(0);
    expect(stdout.endsWith("1999999\n2000000\n")).toBe(true);
    expect(stdout.length).toBeLessThan(128 * 1024);
    expect(stderr).toContain("output before this is left out");
  });

  it("of what there is not says where the ids are", async () => {
    const kept = keeping();
    await kept.host();

    for (const id of ["nothing", "web/bg_1"]) {
      const { status, stderr } = await kept.pi(["attach", id]);
      expect(status).toBe(125);
      expect(stderr).toContain(`the host keeps nothing with the id \`${id}\`; \`pi-bash sessions\` lists`);
    }
  });
});

describe("end", { timeout: 3 * LIMIT_MS }, () => {
  it("ends a session with its shell, its jobs and its client, and the next of that name is a new one", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    const pidFile = join(kept.folder, "pid");
    await agent.call("bash", { command: "X=5" });
    await agent.call("task", background(`setsid sleep 120 & echo $! >${pidFile}; wait`));
    const pid = await pidIn(pidFile);

    const { stdout } = await kept.pi(["end", "web"]);

    expect(stdout).toBe("ended the session `web` and its 1 running job\n");
    await untilGone(pid);
    await untilGone(agent.pid);
    const next = await kept.agent(["--session", "web"]);
    expect(await next.call("bash", { command: 'echo "X is ${X-unset}"' })).toContain("X is unset");
  });

  it("ends the command that a call waits for, and the call is answered", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    const begun = join(kept.folder, "begun");
    const call = agent.call("bash", { command: `touch ${begun}; sleep 120` });
    await until("the command", () => existsSync(begun));
    const listed: { id: string; kind: string }[] = JSON.parse((await kept.pi(["sessions", "--json"])).stdout);
    const id = listed.find(({ kind }) => kind === "command")?.id ?? "";

    const { stdout } = await kept.pi(["end", id]);

    expect(stdout).toBe(`ended the command \`${id}\`; its call was answered\n`);
    await within("the call", call, LIMIT_MS);
  });

  it("ends nothing where one of the ids is not there", async () => {
    const kept = keeping();
    await kept.host();
    await kept.pi(["rpc", "--host", "--session", "web"]);

    const { status, stderr } = await kept.pi(["end", "web", "nothing"]);

    expect(status).toBe(1);
    expect(stderr).toContain("`nothing`");
    expect(stderr).toContain("nothing was ended");
    expect((await kept.pi(["sessions"])).stdout).toContain("web ");
  });
});

describe("sessions", { timeout: 2 * LIMIT_MS }, () => {
  it("shows commands and folders that try to be something else as what they are", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    await agent.call("task", background("sleep 60 # \u001b[2J\u202egnp.exe\nrm -rf x"));

    const { stdout } = await kept.pi(["sessions"]);

    for (const hidden of ["\u001b", "\u202e"]) expect(stdout).not.toContain(hidden);
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stdout).toMatch(/^web\/bg_1 +running +\d+s +local +sleep 60/m);
  });
});
