/** `pty: true` of the bash tool in a session on a place: where it runs, who serves it, and what is reported when it is cut. */
import { createConsole, createExecutor, JobManager, type OpenConsoleView } from "@pi-bash/executor";
import { createBashTool, type PtyPort, ToolError, toolsForModel } from "@pi-bash/tool";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../support/patience.ts";
import { absenceOfPlace, startPlaces, type TestPlaces } from "../../support/places.ts";

const absence = absenceOfPlace("command");
const PERSON = { hasUI: true, ui: { name: "screen" } };

describe.skipIf(absence !== undefined)(
  `the tool's terminal${absence === undefined ? "" : ` (skipped: ${absence})`}`,
  () => {
    let places: TestPlaces;
    beforeAll(async () => {
      places = await startPlaces("command");
    });
    afterAll(() => places?.stop());

    async function open(pty: PtyPort) {
      const place = places.make();
      const executor = createExecutor({}, { place, usesSnapshot: false });
      onTestFinished(async () => {
        await executor.dispose();
        await place.close();
      });
      const at = await executor.placeOf();
      if (at === undefined) throw new Error("the session is on this machine");
      const hostEnv = { PATH: process.env["PATH"] ?? "", ONLY_HERE: "yes" };
      const bash = createBashTool({ cwd: at.cwd, place: at, executor, pty, hostEnv });
      const call = (command: string) => bash.execute("call", { command, pty: true }, undefined, undefined, PERSON);
      return { place, at, call };
    }

    /** A window that types `answer` when it has seen a question. */
    const answering =
      (answer: string): OpenConsoleView =>
      (controls) => ({
        onData: (chunk) => {
          if (chunk.includes("sure? ")) controls.write(answer);
        },
      });

    it("is over there: its folder, its user's environment, a person's answer, and the place in the result", async () => {
      const { at, place, call } = await open(createConsole({ openView: answering("yes\r") }));
      const result = await call('read -p "sure? " answer; echo "$answer,$PWD,$HOME,${ONLY_HERE-unset},$TERM"');

      const text = result.content.map((part) => ("text" in part ? part.text : "")).join("");
      expect(text).toContain(`yes,${at.cwd},${at.home},unset,xterm-256color`);
      expect(result.details).toMatchObject({ place: place.name });
    });

    it("is a task's, too: a program over there asks, and is answered", async () => {
      const place = places.make();
      const executor = createExecutor({}, { place, usesSnapshot: false });
      const asyncJobManager = await JobManager.open();
      onTestFinished(async () => {
        await asyncJobManager.dispose();
        await executor.dispose();
        await place.close();
      });
      const at = await executor.placeOf();
      if (at === undefined) throw new Error("the session is on this machine");
      const tools = toolsForModel({ cwd: at.cwd, place: at, executor, asyncJobManager, getSessionId: () => "agent" });
      const call = async (name: string, params: object): Promise<string> => {
        const tool = tools.find((each) => each.name === name);
        return JSON.stringify(await tool?.execute("call", params as never));
      };
      const script = 'read -p "sure? " answer; echo "$answer on $HOME"';
      const asked = await call("task", { kind: "bash", script, tty: true, timeout_secs: 60, display_name: "ask" });
      const taskId = /bash:bg_\d+/.exec(asked)?.[0];
      const answered = await call("task_send", { task_id: taskId, text: "yes" });

      expect(asked).toContain("waiting for input (line)");
      expect(answered).toContain(`yes on ${at.home}`);
    });

    it("is not asked of a port that knows this machine only", async () => {
      let isAsked = false;
      const { call } = await open({
        run: () => {
          isAsked = true;
          return Promise.reject(new Error("asked"));
        },
      });
      const result = await call("tty || echo none");

      expect(isAsked).toBe(false);
      expect(result.details?.applied).toEqual(["`pty` was not followed: there is no terminal, or no person at it"]);
    });

    it("is reported as lost when the connection is cut, with what was on the screen", async () => {
      let shown = "";
      const view: OpenConsoleView = () => ({
        onData: (chunk) => {
          shown += chunk;
        },
      });
      const { call, place } = await open(createConsole({ openView: view }));
      const run = call("echo seen before; exec sleep 1000").catch((error: unknown) => error);
      await until("the screen", () => shown.includes("seen before"));
      await place.cut();
      const error = await run;

      expect(error).toBeInstanceOf(ToolError);
      expect(error).toMatchObject({
        message: expect.stringMatching(/into the program on the terminal: it was cut here[\s\S]*seen before/),
        details: { lost: true },
      });
    });
  },
);
