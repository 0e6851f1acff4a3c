/** `pi-bash replay`: on a terminal, as text, and what is wrong with a file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PtySession } from "@pi-bash/natives";
import { VirtualTerminal } from "@pi-bash/terminal";
import { describe, expect, it, onTestFinished } from "vitest";
import { keeping, LIMIT_MS, PROGRAM } from "../../../test/support/kept.ts";
import { until, within } from "../../../test/support/patience.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { runProgram } from "./built-program.ts";

const HEADER = '{"version":2,"width":60,"height":12}';

function recordOf(...lines: string[]): string {
  const path = join(scratchFolder(), "record.cast");
  writeFileSync(path, lines.join("\n"));
  return path;
}

/** A person at a terminal of 60 by 14. */
function player(words: string) {
  const pty = new PtySession();
  const terminal = new VirtualTerminal({ cols: 60, rows: 14, onReply: (reply) => void pty.write(reply) });
  let raw = "";
  const stop = new AbortController();
  const run = pty.start(
    {
      command: `"$NODE" "$PROGRAM" replay ${words}; echo "status $?"; stty -a | tr ' ' '\\n' | grep -x -- '-\\?\\(echo\\|icanon\\);\\?'`,
      cwd: "/",
      baseEnv: { PATH: process.env["PATH"] ?? "", HOME: "/", NODE: process.execPath, PROGRAM, TERM: "xterm-256color" },
      timeoutMs: LIMIT_MS,
      signal: stop.signal,
      cols: 60,
      rows: 14,
    },
    (_error, chunk) => {
      raw += chunk;
      return terminal.write(chunk);
    },
  );
  onTestFinished(async () => {
    stop.abort();
    await run;
    terminal.dispose();
  });
  return {
    raw: () => raw,
    text: () => terminal.text(),
    sees: (wanted: string) => until(`${wanted} on the screen`, () => terminal.text().includes(wanted), LIMIT_MS),
    type: (keys: string) => void pty.write(keys),
    end: () => within("the end", run, LIMIT_MS),
  };
}

describe("replay", { timeout: 2 * LIMIT_MS }, () => {
  it.skipIf(process.platform !== "linux")(
    "draws the record with its markers, pauses, and leaves the terminal as it was",
    async () => {
      const path = recordOf(
        HEADER,
        '[0.1,"o","first \\u001b[31mred\\u001b[0m\\r\\n\\u001b]0;owned\\u0007\\u001b]52;c;aGk=\\u0007\\u001b[c"]',
        '[0.2,"m","typed by a person"]',
        '[0.3,"x","a code of a newer form"]',
        '[900,"o","second\\r\\n"]',
      );
      const at = player(path);
      await at.sees("first red");
      await at.sees("typed by a person · space pauses · q leaves");
      at.type(" ");
      await at.sees("paused, space goes on");
      at.type("q");
      await at.sees("status 0");
      await at.end();

      expect(at.text()).toContain("first red");
      expect(at.text()).not.toContain("second");
      expect(at.text()).toMatch(/^icanon;?$/m);
      expect(at.text()).toMatch(/^echo;?$/m);
      expect(at.raw()).not.toContain("\u001b]52");
      expect(at.raw()).not.toContain("owned");
    },
  );

  it.skipIf(process.platform !== "linux")("is as fast as asked for, without long pauses", async () => {
    const path = recordOf(HEADER, '[0.1,"o","first\\r\\n"]', '[900,"o","second\\r\\n"]', '[1000,"o","third\\r\\n"]');
    const at = player(`--idle-limit 1 --speed 4 ${path}`);
    await at.sees("status 0");
    await at.end();

    expect(at.text()).toContain("first\nsecond\nthird");
  });

  it("prints the last screen where there is no terminal; a line that was not finished ends it", async () => {
    const path = recordOf(HEADER, '[0,"o","\\u001b[31mone\\u001b[0m\\r\\ntwo"]', '[1,"o","three and mo');

    expect(await runProgram(["replay", path])).toMatchObject({ status: 0, stdout: "one\ntwo\n", stderr: "" });
  });

  it.each([
    ["empty", [], "line 1: is not there"],
    ["no record", ["hello", ""], "line 1: is not the header of an asciicast"],
    ["of another version", ['{"version":3,"term":{}}', ""], "line 1: is of version 3"],
    ["as large as a field", ['{"version":2,"width":1000000,"height":24}', ""], "line 1: has no width and height"],
    ["wrong in its middle", [HEADER, '[0,"o","a"]', "{}", '[1,"o","b"]', ""], "line 3: is not an event"],
  ])("names what is wrong with a file that is %s", async (_what, lines, problem) => {
    const { status, stderr, stdout } = await runProgram(["replay", recordOf(...lines)]);

    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  it.each([
    [["replay"], "takes one file or one id"],
    [["replay", "--speed", "0", "x"], "--speed takes a number from 0.01 to 1000"],
    [["replay", "--idle-limit", "soon", "x"], "--idle-limit takes a number"],
  ])("refuses %j", async (words, problem) => {
    const { status, stderr } = await runProgram(words);

    expect(status).toBe(2);
    expect(stderr).toContain(problem);
  });

  it.skipIf(process.platform !== "linux")(
    "plays a task of the host while it runs, and says where there is no record",
    async () => {
      const kept = keeping();
      await kept.host();
      const agent = await kept.agent(["--session", "web", "--setting", "tty.record=true"]);
      const task = {
        kind: "bash",
        script: 'read -rp "Name: " n; echo "hello $n"; read -rp "Again? " x',
        timeout_secs: 60,
      };
      await agent.call("task", { ...task, display_name: "x", tty: true });
      expect(await agent.call("task_send", { task_id: "bash:bg_1", text: "ada" })).toContain("Again?");

      expect(await kept.pi(["replay", "web/bg_1"])).toEqual({
        status: 0,
        stdout: "Name: ada\nhello ada\nAgain?\n",
        stderr: "",
      });
      await agent.call("task", {
        kind: "bash",
        script: "sleep 60",
        timeout_secs: 60,
        display_name: "x",
        run_in_background: true,
      });
      const { status, stderr } = await kept.pi(["replay", "web/bg_2"]);
      expect(status).toBe(125);
      expect(stderr).toContain(
        "`web/bg_2` has no record; tasks on terminals are recorded with `--setting tty.record=true`",
      );
    },
  );
});
