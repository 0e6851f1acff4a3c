/**
 * Secrets that programs ask for: a person types them, and they come back nowhere. Cases 5, 6 and 8 of the study.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { absenceOfServer, startSshServer, VISITOR } from "../../../../test/support/ssh-server.ts";
import { textOf, thrown, until } from "../support/session.ts";
import { type TtyScene, ttyScene } from "./support.ts";

const SECRET = "correct horse 7";
const isRoot = process.getuid?.() === 0;
const hasSudo = spawnSync("sudo", ["-V"]).status === 0 && spawnSync("setpriv", ["-V"]).status === 0;

const terminalOf = ({ manager }: TtyScene, taskId: string) => {
  const terminal = manager.terminal(taskId.slice("bash:".length));
  if (terminal === undefined) throw new Error(`${taskId} has no terminal`);
  return terminal;
};

/** All that a model or a host could read of a task: answers, its screen, and what is in the artifacts. */
async function readable(scene: TtyScene, taskId: string): Promise<string> {
  const awaited = await scene.tools.task_await.execute("call", { task_ids: [taskId], timeout_secs: 5, screen: true });
  const entries = await scene.session.executor.artifacts.list();
  expect(entries.length).toBeGreaterThan(0);
  const files = entries.filter(({ path }) => existsSync(path)).map(({ path }) => readFileSync(path, "latin1"));
  return [
    textOf(awaited),
    JSON.stringify(awaited.details),
    JSON.stringify(scene.manager.listAll(() => true)),
    ...files,
  ].join("\n");
}

/** What `task_await` gives until a text is in it: it returns with the first output, which may be an empty line. */
async function awaited(scene: TtyScene, taskId: string, expected: string): Promise<string> {
  let text = "";
  await until(async () => {
    const next = await scene.tools.task_await.execute("call", { task_ids: [taskId], timeout_secs: 5 });
    text += textOf(next);
    return text.includes(expected);
  }, `task_await gave ${expected}`);
  return text;
}

describe.skipIf(process.platform !== "linux")("a secret (who waits is known on Linux)", () => {
  it.skipIf(!isRoot || !hasSudo)("5: `sudo` as a user asks a person; text of the model is refused", async () => {
    const scene = await ttyScene();
    const asked = await scene.open("setpriv --reuid 65534 --regid 65534 --clear-groups sudo -k id");
    expect(asked.waiting).toMatchObject({ kind: "secret", program: "sudo" });
    expect(asked.text).toContain("waiting for a secret");
    const refused = await thrown(scene.send(asked.taskId, { text: "guess" }));
    expect(refused.message).toContain("asks for a secret: a person has to type it");

    expect(await terminalOf(scene, asked.taskId).sendSecret(SECRET)).toBe(true);
    const next = await scene.tools.task_await.execute("call", { task_ids: [asked.taskId], timeout_secs: 20 });
    expect(textOf(next)).not.toContain(SECRET);
    await scene.send(asked.taskId, { keys: ["Ctrl-C"] });
    expect(await readable(scene, asked.taskId)).not.toContain(SECRET);
  });

  it("5: what a program writes out of it is masked in its lines, screen and artifact, whole and in pieces", async () => {
    const scene = await ttyScene();
    const script =
      'read -s -p "Token: " t; echo; echo "got $t"; for ((i = 0; i < ${#t}; i++)); do printf %s "${t:i:1}"; done; echo; read -p "more? " x';
    const asked = await scene.open(script);
    expect(asked.waiting).toMatchObject({ kind: "secret", prompt: "Token:" });

    expect(await terminalOf(scene, asked.taskId).sendSecret(SECRET)).toBe(true);
    await awaited(scene, asked.taskId, "got [secret]");
    const all = await readable(scene, asked.taskId);
    expect(all).not.toContain(SECRET);
    expect(all).toContain("[secret]");
    await scene.terminate(asked.taskId);
    expect(await readable(scene, asked.taskId)).not.toContain(SECRET);
  });

  it("is waited for by one call of task_await, which returns when the program goes on", async () => {
    const scene = await ttyScene();
    const asked = await scene.open('read -s -p "Token: " t; echo; echo went on; read -p "more? " x');
    const look = (seconds: number) =>
      scene.tools.task_await.execute("call", { task_ids: [asked.taskId], timeout_secs: seconds });
    await look(0); // It may have been given the prompt, or not.

    const startedAt = performance.now();
    const nothing = await look(1);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(textOf(nothing)).toContain("Token:");

    const waited = look(30);
    expect(await terminalOf(scene, asked.taskId).sendSecret(SECRET)).toBe(true);
    expect(textOf(await waited)).not.toContain("waiting for a secret");
    await awaited(scene, asked.taskId, "more?");
    await scene.terminate(asked.taskId);
  });

  it("6: typed before the prompt it is held until the program hides it, and is not in the artifact", async () => {
    const scene = await ttyScene();
    const asked = await scene.open(
      "until [ -e go ]; do sleep 0.02; done; read -s -p 'Token: ' t; echo; read -p 'next? ' x",
      {
        run_in_background: true,
      },
    );
    const typed = terminalOf(scene, asked.taskId).sendSecret(SECRET);
    scene.touch("go");
    expect(await typed).toBe(true);
    const next = await scene.tools.task_await.execute("call", {
      task_ids: [asked.taskId],
      timeout_secs: 20,
      min_completed: 1,
    });
    expect(textOf(next)).toContain("next?");
    await scene.terminate(asked.taskId);
    expect(await readable(scene, asked.taskId)).not.toContain(SECRET);
  });

  it("6: it is not typed where the program shows what is typed", async () => {
    const scene = await ttyScene();
    const asked = await scene.open('read -p "Name: " n');
    expect(await terminalOf(scene, asked.taskId).sendSecret(SECRET)).toBe(false);
    expect(await readable(scene, asked.taskId)).not.toContain(SECRET);
    await scene.terminate(asked.taskId);
  });

  it.skipIf(absenceOfServer() !== undefined)(
    "8: `ssh` to an unknown host asks for its key, then a person for the password",
    async () => {
      const { port, folder } = await startSshServer();
      const scene = await ttyScene();
      const options = [
        "StrictHostKeyChecking=ask",
        `UserKnownHostsFile=${join(folder, "known-hosts")}`,
        "GlobalKnownHostsFile=/dev/null",
        "PreferredAuthentications=password",
      ];
      const words = options.map((option) => `-o ${option}`).join(" ");
      const asked = await scene.open(`ssh -F none ${words} -p ${port} ${VISITOR.name}@127.0.0.1`);
      expect(asked.waiting).toMatchObject({ kind: "line", program: "ssh" });
      expect(asked.waiting?.prompt).toContain("continue connecting");
      const password = await scene.send(asked.taskId, { text: "yes" });
      expect(password.waiting).toMatchObject({ kind: "secret" });

      expect(await terminalOf(scene, asked.taskId).sendSecret(VISITOR.password)).toBe(true);
      await until(() => terminalOf(scene, asked.taskId).waiting?.prompt?.startsWith("remote>") === true, "the shell");
      const where = await scene.send(asked.taskId, { text: "exit 5" });
      expect(where.details).toMatchObject({ status: "completed", exitCode: 5 });
      expect(await readable(scene, asked.taskId)).not.toContain(VISITOR.password);
    },
  );

  it("24: a person takes the terminal from the model, types unseen, and hands it back", async () => {
    const scene = await ttyScene();
    const got = scene.delivered("agent-1");
    const asked = await scene.open('read -p "Name: " n; read -s -p "Token: " t; echo "$n $t"; read -p "last? " x');
    const terminal = terminalOf(scene, asked.taskId);
    let seen = "";
    const sending = thrown(scene.send(asked.taskId, { size: { cols: 100, rows: 30 } }));
    const seat = terminal.take({
      onData: (chunk) => {
        seen += chunk;
      },
    });
    expect((await sending).message).toContain("A person has the terminal");
    expect((await thrown(scene.send(asked.taskId, { text: "model" }))).message).toBe(
      `A person has the terminal of ${asked.taskId}; you are notified when it is handed back.`,
    );
    expect(() => terminal.take({})).toThrow("another person");
    expect(seat.redraw()).toContain("Name:");

    seat.write("ada\r");
    await until(() => terminal.waiting?.kind === "secret", "the secret");
    seat.write(`${SECRET}\r`);
    await until(() => terminal.waiting?.prompt === "last?", "the last prompt");
    seat.handBack();
    await until(
      () => got.some(({ text }) => /^A person handed bash:bg_1 back after \d+ s\.$/.test(text)),
      "the notice",
    );
    expect(seen).toContain("ada [secret]");
    expect(() => seat.write("x")).toThrow("handed back");
    expect((await scene.send(asked.taskId, { text: "x" })).details.status).toBe("completed");
    expect(await readable(scene, asked.taskId)).not.toContain(SECRET);
  });
});
