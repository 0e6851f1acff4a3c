/**
 * What is asked of every loop: the conversations, and what they changed. A suite for the test files of the loops.
 */
import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { LIMIT_MS } from "../../support/kept.ts";
import { absenceOfServer, startSshServer, VISITOR } from "../../support/ssh-server.ts";
import type { Loop } from "./conversation-loops.ts";
import { type Conversation, TALKS, type ToolUse } from "./conversations.ts";

const has = (program: string): boolean => spawnSync("which", [program]).status === 0;

async function inFolder(folder: string, script: string): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" };
  return (await promisify(execFile)("bash", ["-c", script], { cwd: folder, env, timeout: LIMIT_MS })).stdout;
}

const start = (script: string): ToolUse => ({
  tool: "task",
  input: { kind: "bash", script, timeout_secs: 120, display_name: "program", tty: true },
});

/** Tries a loop: `open` makes one for each test. */
export function tryLoop(name: string, open: () => Promise<Loop>): void {
  describe.skipIf(process.platform !== "linux")(
    `a scripted model through ${name} (who waits is known on Linux)`,
    () => {
      for (const { name, programs, prepare = "true", talk, look, expected } of TALKS) {
        const absent = programs.filter((program) => !has(program));
        const title = absent.length === 0 ? name : `${name} (skipped: ${absent.join(", ")} is not installed)`;
        it.skipIf(absent.length > 0)(title, { timeout: 2 * LIMIT_MS }, async () => {
          const loop = await open();
          await inFolder(loop.folder, prepare);

          const words = await loop.talk(talk());

          expect(`${words}\n\n${await inFolder(loop.folder, look)}`).toMatch(expected);
        });
      }

      const canAsk = process.getuid?.() === 0 && has("apt-get") && has("tree");
      it.skipIf(!canAsk)(
        "`apt-get install` asks before it changes anything (skipped where this user may not, or `tree` is not installed)",
        { timeout: 2 * LIMIT_MS },
        async () => {
          const loop = await open();
          function* talk(): Conversation {
            // With a minus it is removed: no network is needed for the question.
            const begun: string = yield start("apt-get -o Debug::NoLocking=1 install tree-");
            if (!begun.includes("Do you want to continue? [Y/n]")) return begun;
            return yield { tool: "task_send", input: { task_id: "bash:bg_1", text: "n" } };
          }

          expect(await loop.talk(talk())).toContain("Abort.");
          expect(has("tree")).toBe(true);
        },
      );
    },
  );
}

/** Why there is no sshd to visit; undefined: there is one. */
export const noServer = absenceOfServer();

/** Confirms the key, waits for the person, and looks around over there. */
export function* visit(line: string): Conversation {
  const key: string = yield start(line);
  if (!key.includes("continue connecting")) return `no question: ${key}`;
  const asked: string = yield { tool: "task_send", input: { task_id: "bash:bg_1", text: "yes" } };
  // A person who is quick has typed it by now.
  const isAsked = asked.includes("waiting for a secret");
  const refused: string = isAsked
    ? yield { tool: "task_send", input: { task_id: "bash:bg_1", text: "guess" } }
    : "A person has the terminal";
  let there = isAsked ? refused : asked;
  for (let looks = 0; !there.includes("remote>") && looks < 20; looks += 1) {
    there = yield { tool: "task_await", input: { task_ids: ["bash:bg_1"], timeout_secs: 2, screen: true } };
  }
  const look = { tool: "task_send", input: { task_id: "bash:bg_1", text: "echo $((6 * 7)); exit 5" } };
  let where: string = yield look;
  // What the person saw last, the model sees too, and may answer before the person has left.
  for (let tries = 0; where.includes("A person has the terminal") && tries < 20; tries += 1) {
    yield { tool: "task_await", input: { task_ids: ["bash:bg_1"], timeout_secs: 1 } };
    where = yield look;
  }
  return `${refused}\n${where}`;
}

export async function sshLine(): Promise<string> {
  const { port, folder } = await startSshServer();
  const options = [
    "StrictHostKeyChecking=ask",
    `UserKnownHostsFile=${join(folder, "known-hosts")}`,
    "GlobalKnownHostsFile=/dev/null",
    "PreferredAuthentications=password",
  ];
  return `ssh -F none ${options.map((option) => `-o ${option}`).join(" ")} -p ${port} ${VISITOR.name}@127.0.0.1`;
}

export function expectVisit(words: string): void {
  expect(words).toMatch(/a person has to type it|A person has the terminal/);
  expect(words).toMatch(/^42$/m);
  expect(words).toContain("exitCode: 5");
  expect(words).not.toContain(VISITOR.password);
}
