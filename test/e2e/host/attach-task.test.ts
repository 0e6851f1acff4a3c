/**
 * A person who joins: `pi-bash attach` at the terminal of a task that an agent of the official MCP client has started.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keeping, LIMIT_MS, pidIn } from "../../support/kept.ts";
import { until, within } from "../../support/patience.ts";
import { untilGone } from "../../support/process.ts";
import { atTerminal } from "./person.ts";

const HAND_BACK = "\x1d";
const onTerminal = (script: string) => ({ kind: "bash", script, timeout_secs: 120, display_name: "x", tty: true });
const has = (program: string): boolean => spawnSync("which", [program]).status === 0;

/** Files below a folder that have a text in them. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .filter((path) => readFileSync(path).includes(text));
}

async function start(script: string) {
  const kept = keeping();
  const host = await kept.host();
  const agent = await kept.agent(["--session", "web"]);
  const begun = await agent.call("task", onTerminal(script));
  expect(begun).toContain("bash:bg_1");
  return { kept, host, agent };
}

describe.skipIf(process.platform !== "linux")(
  "a person at a task's terminal (who waits is known on Linux)",
  { timeout: 4 * LIMIT_MS },
  () => {
    it("types a password that no agent, artifact and file sees, and hands back", async () => {
      const script =
        'read -rsp "Password: " p; echo; read -rp "Name: " n; echo "$n has ${#p} characters: $p"; read -rp "Done? "';
      const { kept, agent } = await start(script);
      expect((await kept.pi(["sessions"])).stdout).toMatch(/^web\/bg_1 +running, waits for a secret /m);
      const person = atTerminal(kept, "attach web/bg_1");
      await person.sees("Password:");
      expect((await kept.pi(["sessions"])).stdout).toMatch(/^web\/bg_1 +running, a person types /m);
      expect(await agent.call("task_send", { task_id: "bash:bg_1", text: "x", wait_secs: 1 })).toContain(
        "A person has the terminal of bash:bg_1",
      );

      person.type("correct horse\r");
      await person.sees("Name:");
      person.type(HAND_BACK);

      expect(await person.end()).toBe(0);
      expect(person.text()).toContain("handed `web/bg_1` back; it goes on");
      const answer = await agent.call("task_send", { task_id: "bash:bg_1", text: "ada" });
      expect(answer).toContain("ada has 13 characters: [secret]");
      expect(answer).not.toContain("correct horse");
      expect(filesWith(kept.folder, "correct horse")).toEqual([]);
    });

    it.skipIf(!has("vim"))("edits in vim, follows the size of their terminal, and comes back", async () => {
      const { kept, agent } = await start("vim -u NONE -i NONE -n notes.txt");
      writeFileSync(join(kept.folder, "other.txt"), "");
      const first = atTerminal(kept, "attach web/bg_1");
      await first.sees("ctrl+] hands the terminal back · 98x28");
      expect(first.isWhole()).toBe(true);
      first.type("iroses\x1b");
      await first.sees("roses");
      first.resize(60, 15);
      await first.sees("58x13");
      first.type(":put ='size '.&columns.' by '.&lines\r");
      await first.sees("size 58 by 13");
      first.type(HAND_BACK);
      expect(await first.end()).toBe(0);
      expect(first.isWhole()).toBe(false);

      const second = atTerminal(kept, "attach web/bg_1");
      await second.sees("roses");
      // An arrow key, in the form that vim asked for before this person came.
      second.type("\x1b[A");
      second.type("Oviolets\x1b:wq\r");

      expect(await second.end()).toBe(0);
      expect(readFileSync(join(kept.folder, "notes.txt"), "utf8")).toBe("violets\nroses\nsize 58 by 13\n");
      expect(await agent.call("task_await", { task_ids: ["bash:bg_1"], timeout_secs: 20 })).toContain("exitCode: 0");
    });

    it("has the program's exit status when it ends, and the terminal back when theirs is closed", async () => {
      const { kept, agent } = await start('read -rp "First: " a; read -rp "Second: " b; exit 7');
      const gone = atTerminal(kept, "attach web/bg_1");
      await gone.sees("First:");
      gone.kill();
      await gone.end();
      await until(
        "the model's turn",
        async () =>
          !(await agent.call("task_send", { task_id: "bash:bg_1", text: "1", wait_secs: 1 })).includes("A person"),
        LIMIT_MS,
      );

      const person = atTerminal(kept, "attach web/bg_1");
      await person.sees("Second:");
      person.type("2\r");

      expect(await person.end()).toBe(7);
    });

    it("is one at a time, while another may look on", async () => {
      const { kept } = await start('read -rp "Go on? " a; echo "went on"; sleep 60');
      const person = atTerminal(kept, "attach web/bg_1");
      await person.sees("Go on?");

      const second = atTerminal(kept, "attach web/bg_1");
      expect(await second.end()).toBe(125);
      expect(second.text()).toContain("another person has the terminal of `web/bg_1`");
      const onlooker = atTerminal(kept, "attach --read-only web/bg_1");
      person.type("\r");
      await onlooker.sees("went on");
      onlooker.type("\x03");
      expect(await onlooker.end()).toBe(130);
      person.type(HAND_BACK);
      expect(await person.end()).toBe(0);
    });

    it("draws what a program writes in a window: no escape sequence of it reaches their terminal", async () => {
      const { kept } = await start(
        "printf '\\033]52;c;aGVsbG8=\\007\\033]0;owned\\007\\033[c\\033[6n'; read -rp 'Go on? ' a; printf 'typed: %q\\n' \"$a\"; sleep 60",
      );
      const person = atTerminal(kept, "attach web/bg_1");
      await person.sees("Go on?");
      person.type("\r");
      await person.sees("typed:");

      expect(person.raw()).not.toContain("\u001b]52");
      expect(person.raw()).not.toContain("\u001b]0;");
      person.type(HAND_BACK);
      expect(await person.end()).toBe(0);
    });

    it("does not hold up the end of a killed host: terminals and services are gone within a second or so", async () => {
      const { kept, host, agent } = await start("echo $$ >tty.pid; read -rp Stay?");
      const service = { kind: "service", name: "web", script: "echo $$ >service.pid; exec sleep 600" };
      await agent.call("task", service);
      const pids = await Promise.all(["tty.pid", "service.pid"].map((name) => pidIn(join(kept.folder, name))));
      const person = atTerminal(kept, "attach web/bg_1");
      await until("the person's window", () => person.isWhole(), LIMIT_MS);
      const killedAt = performance.now();
      host.kill("SIGKILL");

      await within("their end", Promise.all(pids.map((pid) => untilGone(pid))), LIMIT_MS);
      // One second by the plan; a busy machine is given more.
      expect(performance.now() - killedAt).toBeLessThan(5_000);
      expect(await person.end()).toBe(1);
      expect(person.text()).toContain("the host has ended");
      expect(existsSync(join(kept.folder, "tty.pid"))).toBe(true);
    });
  },
);
