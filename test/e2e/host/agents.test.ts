/**
 * Agents that come and go while a host keeps their session: what the next one finds, and whose rights it has.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keeping, LIMIT_MS, pidIn } from "../../support/kept.ts";
import { until } from "../../support/patience.ts";
import { isAlive, untilGone } from "../../support/process.ts";
import { answerOf, request } from "./bare-client.ts";

/** A task that goes to the background at once. */
const background = (script: string) => ({
  kind: "bash",
  script,
  timeout_secs: 120,
  display_name: "kept",
  run_in_background: true,
});
const foreground = (script: string) => ({ kind: "bash", script, timeout_secs: 120, display_name: "kept" });
/** Prints `from` to `to`, then waits for a file, then prints the rest: no clock decides what is printed when. */
const inTwoParts = (name: string, gate: string) =>
  `for i in $(seq 1 50); do echo ${name}$i; done; touch ${gate}.first; until [ -e ${gate} ]; do sleep 0.05; done; for i in $(seq 51 100); do echo ${name}$i; done; exit 7`;
const lines = (name: string) => Array.from({ length: 100 }, (_, index) => `${name}${index + 1}`);
/** What was printed under a name, in its order. */
const printed = (text: string, name: string) => text.match(new RegExp(`^${name}\\d+$`, "gm")) ?? [];

describe("an agent that was killed", { timeout: 3 * LIMIT_MS }, () => {
  it("leaves its shell, its job and its running command to the next one of that name", async () => {
    const kept = keeping();
    await kept.host();
    const first = await kept.agent(["--session", "web"]);
    await first.call("bash", { command: "mkdir -p sub; cd sub; export NAME=kept; f() { echo f of $NAME; }" });
    await first.call("task", background(inTwoParts("job", join(kept.folder, "job-gate"))));
    const running = first.call("bash", { command: inTwoParts("call", join(kept.folder, "call-gate")) });
    running.catch(() => undefined);
    await until("both to have printed their first part", () =>
      ["job-gate", "call-gate"].every((gate) => existsSync(join(kept.folder, `${gate}.first`))),
    );

    await first.die();
    await until("the host to know", async () => (await kept.pi(["sessions"])).stdout.includes("no client"), LIMIT_MS);
    for (const gate of ["job-gate", "call-gate"]) await kept.pi(["run", `touch ${join(kept.folder, gate)}`]);
    const second = await kept.agent(["--session", "web"]);
    const state = await second.call("bash", { command: "pwd; f" });

    expect(state).toContain(`${kept.folder}/sub\nf of kept`);
    expect(state).toContain("The session `web` was kept");
    expect(state).toMatch(/`bash:bg_1`.*job/);
    expect(state).toMatch(/`bash:bg_2`.*call/);
    const ends = await second.call("task_await", {
      task_ids: ["bash:bg_1", "bash:bg_2"],
      min_completed: 2,
      timeout_secs: 30,
    });
    expect(printed(ends, "job")).toEqual(lines("job"));
    expect(printed(ends, "call")).toEqual(lines("call"));
    expect(ends).toMatch(/exit(ed)?.*7/);
  });

  it("leaves the command of a task in the foreground as well", async () => {
    const kept = keeping();
    await kept.host();
    const gate = join(kept.folder, "gate");
    const first = await kept.agent(["--session", "web"]);
    first.call("task", foreground(inTwoParts("task", gate))).catch(() => undefined);
    await until("the first part", () => existsSync(`${gate}.first`));
    await first.die();
    await until("it to be a job", async () => (await kept.pi(["sessions"])).stdout.includes("web/bg_1"), LIMIT_MS);
    await kept.pi(["run", `touch ${gate}`]);

    const second = await kept.agent(["--session", "web"]);
    const end = await second.call("task_await", { task_ids: ["bash:bg_1"], min_completed: 1, timeout_secs: 30 });

    expect(printed(end, "task")).toEqual(lines("task"));
  });

  it("takes with it what it waited for, so that the next one hears of it", async () => {
    const kept = keeping();
    await kept.host();
    const gate = join(kept.folder, "gate");
    const first = await kept.agent(["--session", "web"]);
    await first.call("task", background(inTwoParts("job", gate)));
    await until("the first part", () => existsSync(`${gate}.first`));
    first.call("task_await", { task_ids: ["bash:bg_1"], min_completed: 1, timeout_secs: 30 }).catch(() => undefined);
    await first.die();
    await until("the host to know", async () => (await kept.pi(["sessions"])).stdout.includes("no client"), LIMIT_MS);
    await kept.pi(["run", `touch ${gate}`]);

    const second = await kept.agent(["--session", "web"]);
    const end = await second.call("task_await", { task_ids: ["bash:bg_1"], min_completed: 1, timeout_secs: 30 });

    expect(printed(end, "job")).toEqual(lines("job"));
  });

  it("has its job's result delivered to the next one that speaks lines", async () => {
    const kept = keeping();
    await kept.host();
    const call = { id: 1, type: "tool", tool: "task", params: background("echo done by a job; exit 3") };
    const words = ["rpc", "--host", "--session", "web", "--mode", "yolo"];
    // It starts the job in an MCP client, which takes no deliveries.
    const first = await kept.agent(["--session", "web"]);
    await first.call("task", call.params);
    await first.die();
    await until("its end", async () => (await kept.pi(["sessions"])).stdout.includes("failed (exit 3)"), LIMIT_MS);

    const visit = async () => {
      const client = await kept.pi(words, `${JSON.stringify({ id: 2, type: "list_tools" })}\n`);
      expect(client.status).toBe(0);
      return client.stdout;
    };
    let taken = "";
    // One that hangs up at once may be gone before it is handed over: then it is there for the next one.
    const isTaken = async () => {
      taken = await visit();
      return taken.includes('"type":"job_event"');
    };
    await until("the delivery", isTaken, LIMIT_MS);
    expect(taken).toContain("done by a job");
    expect(await visit()).not.toContain("job_event");
  });
});

describe("a client of a kept session", { timeout: 3 * LIMIT_MS }, () => {
  it("gets an answer to every line that it sent, and the state stays", async () => {
    const kept = keeping();
    await kept.host();
    const line = (id: number, command: string) =>
      `${JSON.stringify({ id, type: "tool", tool: "bash", params: { command } })}\n`;
    const words = ["rpc", "--host", "--mode", "yolo"];

    const first = await kept.pi(words, line(1, "X=5; sleep 0.3; echo slow") + line(2, "echo quick"));
    const second = await kept.pi(words, line(3, "echo X is $X"));

    expect(first.status).toBe(0);
    expect(first.stdout.match(/"type":"response"/g)).toHaveLength(2);
    expect(first.stdout).toContain("slow");
    expect(second.stdout).toContain("X is 5");
  });

  it("displaces the one before it, whose running command goes on as a job", async () => {
    const kept = keeping();
    await kept.host();
    const first = await kept.agent(["--session", "web"]);
    const pidFile = join(kept.folder, "pid");
    first.call("bash", { command: `echo $BASHPID >${pidFile}; sleep 60` }).catch(() => undefined);
    const pid = await pidIn(pidFile);

    const second = await kept.agent(["--session", "web"]);

    await untilGone(first.pid);
    expect(isAlive(pid)).toBe(true);
    expect(await second.call("bash", { command: "echo here" })).toContain("here");
    expect(await second.call("task_list", {})).toContain("bash:bg_1");
    await second.call("task_terminate", { task_ids: ["bash:bg_1"] });
    await untilGone(pid);
  });

  it("has its own policy and mode: those of the one before it are gone", async () => {
    const kept = keeping();
    await kept.host();
    const command = `touch ${join(kept.folder, "made")}`;
    const line = `${JSON.stringify({ id: 1, type: "tool", tool: "bash", params: { command } })}\n`;
    await kept.pi(["rpc", "--host", "--session", "web", "--mode", "yolo"], line.replace("made", "made-by-yolo"));

    const planned = await kept.pi(["rpc", "--host", "--session", "web", "--mode", "plan"], line);

    expect(existsSync(join(kept.folder, "made-by-yolo"))).toBe(true);
    expect(existsSync(join(kept.folder, "made"))).toBe(false);
    expect(planned.stdout).toContain('"isError":true');
  });

  it("is refused where it asks for another sandbox, another folder or another place than the session has", async () => {
    const kept = keeping();
    await kept.host();
    const words = (...more: string[]) => ["rpc", "--host", "--session", "web", ...more];
    await kept.pi(words());

    const sandbox = await kept.pi(words("--setting", "sandboxMode=read-only"));
    const folder = await kept.pi(words("--cwd", "/"));
    const place = await kept.pi(words("--on", "command:env"));

    expect(sandbox.stderr).toContain(
      'the session `web` was made with `sandboxMode` `"full"`, and this client asks for',
    );
    expect(folder.stderr).toContain("was made with the folder");
    expect(place.stderr).toContain("was made with the place");
    expect([sandbox.status, folder.status, place.status]).toEqual([125, 125, 125]);
  });

  it("has the environment and the folder of who made the session, not those of the host", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);

    const shown = await agent.call("bash", { command: 'pwd; echo "$HOME"' });

    expect(shown).toContain(`${kept.folder}\n${kept.folder}`);
  });

  it("without a host is refused with what starts one, and nothing runs", async () => {
    const kept = keeping();

    const refused = await kept.pi(["mcp", "--host"]);

    expect(refused.status).toBe(125);
    expect(refused.stderr).toContain("no host runs for this user");
    expect(refused.stderr).toContain("`pi-bash host --detach` starts one");
    expect(existsSync(join(kept.runtime, "pi-bash"))).toBe(false);
  });

  it("is named by its folder where it names no session", async () => {
    const kept = keeping();
    await kept.host();
    await kept.pi(["rpc", "--host"]);
    const listed: { id: string }[] = JSON.parse((await kept.pi(["sessions", "--json"])).stdout);

    expect(listed.map(({ id }) => id)).toEqual([kept.folder.split("/").at(-1)]);
    expect((await kept.pi(["rpc", "--session", "web"])).stderr).toContain("it needs `--host`");
    expect((await kept.pi(["rpc", "--host", "--session", "../x"])).stderr).toContain(
      "`--session` takes 1 to 64 letters",
    );
  });
});

describe("many clients", { timeout: 4 * LIMIT_MS }, () => {
  it("come at once, each to its own session", async () => {
    const kept = keeping();
    await kept.host();
    const names = Array.from({ length: 50 }, (_, index) => `s${index}`);
    const line = (name: string) =>
      `${JSON.stringify({ id: 1, type: "tool", tool: "bash", params: { command: `N=${name}; echo "is $N"` } })}\n`;

    const answers = await Promise.all(
      names.map(async (name) => answerOf(await kept.dial(), request(kept, name), line(name))),
    );

    expect(answers.map((answer, index) => answer.includes(`is s${index}`))).toEqual(names.map(() => true));
    const listed: { kind: string }[] = JSON.parse((await kept.pi(["sessions", "--json"])).stdout);
    expect(listed.filter(({ kind }) => kind === "session")).toHaveLength(50);
  });
});

describe("what a host reads of a client", () => {
  it("is whole where it came in pieces", { timeout: LIMIT_MS }, async () => {
    const kept = keeping();
    await kept.host();
    const line = `${JSON.stringify({ id: 1, type: "tool", tool: "bash", params: { command: "echo whole" } })}\n`;

    const answer = await answerOf(await kept.dial(), request(kept, "pieces"), line, 7);

    expect(answer).toContain("whole");
  });
});
