/** How a call becomes a run: what it is given of its call, whose turn it notes, and what is kept of its pipes. */
import { appendFileSync, readdirSync } from "node:fs";
import type { BashToolUpdate, ReadOnlyEnforced } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { executionOptions, keepStreams } from "../src/command-run.ts";
import { callOf } from "./support/facts.ts";
import { type PlayedRun, playedScene } from "./support/played-executor.ts";
import { textOf } from "./support/session.ts";

const PIPED = "touch x; seq 9 | tail -2";

/** Writes what a trailing pipe reads to where its command copies it. */
function copy({ command }: PlayedRun, text: string): void {
  const path = /tee -a -- '([^']+)'/.exec(command)?.[1];
  if (path === undefined) throw new Error(`nothing is copied in: ${command}`);
  appendFileSync(path, text);
}

describe("the turn of a call", () => {
  function turn(more: Parameters<typeof callOf>[0], notice: string | undefined) {
    const call = callOf({ rewriteNotices: [], ...more });
    const started: boolean[] = [];
    const wait = {
      stopped: new AbortController().signal,
      start: (hasShell: boolean) => {
        started.push(hasShell);
        return notice;
      },
      end: () => undefined,
    };
    const options = executionOptions(call, { session: playedScene().session, wait });
    expect(started).toEqual([]);
    options.onTurn?.();
    return { started, notices: call.rewriteNotices, options };
  }

  it("is noted when it comes, and is one at the session's shell unless the call runs in a copy", () => {
    expect(turn({}, undefined)).toMatchObject({ started: [true], notices: [] });
    expect(turn({ mayOverlap: true }, undefined)).toMatchObject({ started: [false], notices: [] });
  });

  it("has a word on a long wait, unless the call ran before", () => {
    expect(turn({}, "it waited").notices).toEqual(["it waited"]);
    const first: ReadOnlyEnforced = { enforced: true, degraded: [], stateDropped: false, refusals: [] };
    const again = turn({ reading: { kind: "approved", first } }, "it waited");
    expect(again.notices).toEqual([]);
    expect(again.started).toEqual([true]);
  });

  it("is not noted where no one waits", () => {
    const call = callOf();
    executionOptions(call, { session: playedScene().session }).onTurn?.();
    expect(call.rewriteNotices).toEqual([]);
  });

  it("is confined only where reading alone allowed it", () => {
    expect(turn({ reading: { kind: "confined" } }, undefined).options).toMatchObject({ readOnly: true });
    expect(turn({ reading: { kind: "unheld", reason: "x" } }, undefined).options).not.toHaveProperty("readOnly");
  });
});

describe("a trailing pipe", () => {
  it("is not copied by a confined command, nor where it is stripped", async () => {
    const { session } = playedScene();
    const kept = await keepStreams(callOf({ command: PIPED }), session);
    expect(kept?.command).toContain("tee -a");
    await kept?.finish();
    expect(await keepStreams(callOf({ command: PIPED, reading: { kind: "confined" } }), session)).toBeUndefined();
    const stripped = callOf({ command: PIPED }, { "bash.stripTrailingHeadTailMode": "strip" });
    expect(await keepStreams(stripped, session)).toBeUndefined();
  });

  it("is said to be stripped in the answer, and a redirection that changes nothing only in the details", async () => {
    const { bash, runs } = playedScene({ settings: { "bash.stripTrailingHeadTailMode": "strip" } });
    const piped = await bash({ command: PIPED });
    expect(textOf(piped)).toMatch(/^out\n\nStripped trailing `\| tail -2` — bash output is truncated automatically/);
    const redirected = await bash({ command: "touch x 2>&1" });
    expect(textOf(redirected)).toBe("out");
    expect([piped, redirected].map(({ details }) => details?.applied)).toEqual([
      ["stripped trailing `| tail -2`"],
      ["stripped trailing `2>&1`"],
    ]);
    expect(runs.map(({ command }) => command)).toEqual(["touch x; seq 9", "touch x"]);
  });

  it("has its line in the answer, and its copy is settled where the run fails", async () => {
    const made = playedScene({
      answer: async (run) => {
        copy(run, "x\n".repeat(9));
        return {};
      },
    });
    expect(textOf(await made.bash({ command: PIPED }))).toMatch(
      /^out\n\n`\| tail -2` read 9 lines \(18B\), kept in artifact:\/\/\w+$/,
    );
    let folder = "";
    const failing = playedScene({
      answer: async (run) => {
        copy(run, "");
        folder = /tee -a -- '([^']+)\/[^/]+'/.exec(run.command)?.[1] ?? "";
        throw new Error("no shell");
      },
    });
    await expect(failing.bash({ command: PIPED })).rejects.toThrow("no shell");
    expect(readdirSync(folder)).toEqual([]);
  });
});

it("shows what a command writes while it runs", async () => {
  const updates: BashToolUpdate[] = [];
  const made = playedScene({
    answer: async ({ options }) => {
      options.onUpdate?.("tail", { bytes: 4, lines: 1 });
      return {};
    },
  });
  await made.bash({ command: "touch x" }, { updates });
  expect(updates.map(textOf)).toContain("tail");
});
