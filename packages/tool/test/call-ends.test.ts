/** Who ended a call of the bash tool, whose turn it was, and what is reported after it: nothing is started. */
import type { BashToolUpdate } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { foregroundCallsOf } from "../src/foreground-calls.ts";
import type { BashToolSession } from "../src/session.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { playedScene } from "./support/played-executor.ts";
import { jobs, textOf, thrown, until } from "./support/session.ts";

const CHANGES = "touch x";

/** A session whose commands go on until the test ends them, or they are stopped. */
function desk(settings: object = {}, ports: Partial<BashToolSession> = {}) {
  const ends: ((result: Partial<CommandResult>) => void)[] = [];
  const made = playedScene(
    {
      settings,
      answer: ({ options }) =>
        new Promise((resolve) => {
          ends.push(resolve);
          options.signal?.addEventListener("abort", () =>
            resolve({ cancelled: true, output: "[Command cancelled]\n" }),
          );
        }),
    },
    ports,
  );
  return {
    ...made,
    calls: foregroundCallsOf(made.session),
    running: (count = 1) => until(() => ends.length >= count, "it to run"),
    end: (at = 0, result: Partial<CommandResult> = {}) => ends[at]?.(result),
    started: () => ends.length,
  };
}

describe("a call that is ended while it runs", () => {
  it("is a failure where it was ended as a task, and an abort where its caller gave it up", async () => {
    const { bash, calls, running } = desk();
    const ended = thrown(bash({ command: CHANGES }));
    await running();
    await calls.stop("call_1");
    const failure = await ended;
    expect(failure).toBeInstanceOf(ToolError);
    expect(failure.message).toBe("[Command cancelled]");
    const controller = new AbortController();
    const given = thrown(bash({ command: CHANGES }, { signal: controller.signal }));
    await running(2);
    controller.abort();
    expect(await given).toBeInstanceOf(ToolAbortError);
    expect(calls.list()).toEqual([]);
  });
});

describe("a call that is ended while it is judged", () => {
  /** A session whose policy answers once the call is ended. */
  function judged() {
    let isAsked = false;
    const policy = {
      authorize: async (_: unknown, { signal }: { signal?: AbortSignal | undefined } = {}) => {
        isAsked = true;
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
        throw new ToolAbortError();
      },
      observe: () => undefined,
    };
    return { ...desk({}, { policy }), asked: () => until(() => isAsked, "the question") };
  }

  it("is a failure that says so where it was ended as a task", async () => {
    const { bash, calls, asked, runs } = judged();
    const ended = thrown(bash({ command: CHANGES }));
    await asked();
    await calls.stop("call_1");
    const error = await ended;
    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe("The call was ended before its command ran");
    expect(runs).toEqual([]);
    expect(calls.list()).toEqual([]);
  });

  it("is an abort where its caller gave it up, alone or as well", async () => {
    for (const isEnded of [false, true]) {
      const { bash, calls, asked } = judged();
      const controller = new AbortController();
      const given = thrown(bash({ command: CHANGES }, { signal: controller.signal }));
      await asked();
      if (isEnded) void calls.stop("call_1");
      controller.abort();
      expect(await given).toBeInstanceOf(ToolAbortError);
    }
  });
});

describe("the turn of a call in a session whose folder lasts", () => {
  const LASTS = { "bash.directoryPersists": true };

  it("comes when the one before it is over, unless it leaves the folder as it is", async () => {
    const manager = await jobs();
    const { bash, runs, running, end } = desk({ ...LASTS, "async.enabled": true }, { asyncJobManager: manager });
    const first = bash({ command: CHANGES });
    await running();
    const second = bash({ command: "touch second" });
    const reading = bash({ command: "pwd" });
    await bash({ command: "touch job", async: true });
    await running(3);
    expect(runs.map(({ command }) => command).sort()).toEqual(["pwd", "touch job", CHANGES]);
    end(runs.findIndex(({ command }) => command === "pwd"));
    await reading;
    end(0);
    await first;
    await running(4);
    expect(runs.at(-1)?.command).toBe("touch second");
    end(3);
    await second;
  });

  it("is not waited for here where it does not", async () => {
    const { bash, running, end } = desk();
    const both = [bash({ command: CHANGES }), bash({ command: "touch second" })];
    await running(2);
    end(0);
    end(1);
    await Promise.all(both);
  });

  it("comes at once to parameters that are refused", async () => {
    const { bash, running, end } = desk(LASTS);
    const first = bash({ command: CHANGES });
    await running();
    expect((await thrown(bash({ command: 7 }))).message).toMatch(/^Invalid bash parameters/);
    end(0);
    await first;
  });
});

describe("an update", () => {
  it("is reported while the call goes on, and not after its answer", async () => {
    const { bash, runs, running, end } = desk();
    const updates: BashToolUpdate[] = [];
    const calling = bash({ command: CHANGES }, { updates });
    await running();
    const show = (text: string) => runs[0]?.options.onUpdate?.(text, { bytes: 4, lines: 1 });
    show("one");
    end();
    await calling;
    show("two");
    expect(updates.map(textOf)).toEqual(["one"]);
  });

  it("of a job is reported after the answer, too", async () => {
    const manager = await jobs();
    const { bash, runs, running } = desk({ "async.enabled": true }, { asyncJobManager: manager });
    const updates: BashToolUpdate[] = [];
    await bash({ command: CHANGES, async: true }, { updates });
    await running();
    runs[0]?.options.onUpdate?.("late", { bytes: 4, lines: 1 });
    expect(updates.map(textOf)).toEqual(["late"]);
  });
});

describe("a call in a session with jobs", () => {
  it.each<[string, object, Partial<BashToolSession>, boolean]>([
    ["nothing lets it go on", {}, {}, false],
    ["it may go to the background", { "bash.autoBackground.enabled": true }, {}, true],
    ["its deadline may not be its end", { "bash.timeoutAction": "background" }, {}, true],
    ["its caller may go", {}, { callerGone: () => new AbortController().signal }, true],
    ["its caller says nothing", {}, { callerGone: () => undefined }, false],
  ])("is the manager's only where %s", async (_, settings, ports, isManaged) => {
    const manager = await jobs();
    const { bash, runs, running, end } = desk(settings, { asyncJobManager: manager, ...ports });
    const calling = bash({ command: CHANGES });
    await running();
    expect("isFollowed" in (runs[0]?.options ?? {})).toBe(isManaged);
    end();
    await calling;
  });

  it("runs as any other where the session has none", async () => {
    const { bash, running, end } = desk({ "bash.autoBackground.enabled": true });
    const calling = bash({ command: CHANGES });
    await running();
    end();
    expect(textOf(await calling)).toBe("out");
  });
});
