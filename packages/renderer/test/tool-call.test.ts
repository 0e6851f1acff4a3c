/** A call and its answer, as a person sees them. */
import type { BashDetails } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { BashCallComponent } from "../src/call-component.ts";
import type { CallAnswer } from "../src/call-state.ts";
import { partialArguments } from "../src/partial-json.ts";
import { PLAIN_THEME, themeFor } from "../src/theme.ts";
import { type CallView, renderBashCall } from "../src/tool-call.ts";
import { withoutGutter } from "./gutter.ts";
import { hostileText } from "./hostile-text.ts";
import { expectFitting } from "./rows-fit.ts";

const theme = PLAIN_THEME;

function draw(
  call: CallView,
  answer?: CallAnswer,
  options: { width?: number; expanded?: boolean; rows?: number } = {},
): string[] {
  return withoutGutter(renderBashCall(call, answer, { width: 80, theme, ...options }));
}

function answer(text: string, details: BashDetails = {}, isError = false): CallAnswer {
  return { content: [{ type: "text", text }], details, isError };
}

const call: CallView = { args: { command: "make" }, sessionCwd: "/repo" };
const numbers = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");

describe("the command of a call", () => {
  it("stands after a prompt, with its directory and its variables in order", () => {
    const args = { command: "npm test", cwd: "/repo/sub", env: { B: 'x "y"', A: "1" } };

    expect(draw({ args, sessionCwd: "/repo" })).toEqual(['▸ $ cd /repo/sub && A="1" B="x \\"y\\"" npm test']);
  });

  it("does not name the directory that the session is in", () => {
    expect(draw({ args: { command: "ls", cwd: "/repo" }, sessionCwd: "/repo" })).toEqual(["▸ $ ls"]);
  });

  it("has its prompt on the first of several lines only", () => {
    expect(draw({ args: { command: "for f in *; do\n  echo $f\ndone" } })).toEqual([
      "▸ $ for f in *; do",
      "  >   echo $f",
      "  > done",
    ]);
  });

  it("has its first line and its end when it is long, and is whole when expanded", () => {
    const command = Array.from({ length: 30 }, (_, index) => `echo ${index + 1}`).join("\n");

    const rows = draw({ args: { command } });
    expect(rows).toHaveLength(11);
    expect(rows.slice(0, 3)).toEqual(["▸ $ echo 1", "  > … 20 more lines", "  > echo 22"]);
    expect(rows.at(-1)).toBe("  > echo 30");
    expect(draw({ args: { command } }, undefined, { expanded: true })).toHaveLength(30);
  });

  it("has hidden characters and controls written out", () => {
    expect(draw({ args: { command: "ls \u202efdp\x1b[2K\r" } })).toEqual(["▸ $ ls \\u{202e}fdp\\u{1b}[2K\\u{d}"]);
  });

  it("is coloured by its parts", () => {
    const [row] = renderBashCall({ args: { command: "FOO=1 git -C x log | grep 'a b' # note" } }, undefined, {
      width: 80,
    });

    expect(row).toContain("\x1b[1mgit\x1b[0m");
    expect(row).toContain("\x1b[33m-C\x1b[0m");
    expect(row).toContain("\x1b[32m'a b'\x1b[0m");
    expect(row).toContain("\x1b[1mgrep\x1b[0m");
    expect(row).toContain("\x1b[2;3m# note\x1b[0m");
    const [loop] = renderBashCall({ args: { command: "for part in a b; do make $part; done" } }, undefined, {
      width: 80,
    });
    expect(loop).toContain("\x1b[36mfor\x1b[0m part in a b");
    expect(loop).toContain("\x1b[1mmake\x1b[0m");
  });

  it("of megabytes is shown without colours", () => {
    for (const command of ["a".repeat(10_000_000), `"${'a\\"'.repeat(1_000_000)}`, ";|&".repeat(300_000)]) {
      const rows = renderBashCall({ args: { command } }, undefined, { width: 80 });
      expect(rows).toHaveLength(11);
      expect(rows.slice(2).join("")).not.toContain("\x1b");
    }
  });

  it("is shown while its arguments are still being written, variables and all", () => {
    expect(draw({ argsText: '{"command":"git commit -m \\"two\\nli' })).toEqual(['· $ git commit -m "two', "  > li"]);
    expect(draw({ argsText: '{"env":{"CI":"1","TOK' })).toEqual(['· $ CI="1" …']);
    expect(draw({ argsText: "" })).toEqual(["· $ …"]);
  });
});

describe("partial arguments", () => {
  it("are those of the finished JSON when it is finished", () => {
    const args = { command: 'echo "ü\\n" \t', cwd: "/a b", timeout: 12, env: { A: "{}", B: "" } };

    expect(partialArguments(JSON.stringify(args))).toEqual(args);
  });

  it("of any beginning, and of anything that is no JSON, are known or left out, and never an error", () => {
    const text = JSON.stringify({
      env: { A: "x\\y\u2028\u0000" },
      command: 'a "b" \\\\ c',
      timeout: 3.5,
      more: [1, { a: 2 }],
    });
    for (let end = 0; end <= text.length; end += 1) {
      const { command } = partialArguments(text.slice(0, end));
      expect('a "b" \\\\ c'.startsWith((command ?? "").replace(/\\.?$/, ""))).toBe(true);
    }
    for (const other of [
      "[]",
      "null",
      '"x"',
      "{{{{{{",
      '{"a" 1}',
      '{"__proto__":{"command":"x"}}',
      "}",
      '{"command":7}',
    ]) {
      expect(partialArguments(other).command).toBeUndefined();
    }
  });
});

describe("the answer of a call", () => {
  it("shows the last rows, says how many there are, and how to see them", () => {
    const rows = draw(call, answer(`${numbers}\n\nWall time: 1.23 seconds`, { wallTimeMs: 1234, timeoutSeconds: 300 }));

    expect(rows.slice(0, 2)).toEqual(["✓ $ make", "… 30 earlier lines (ctrl+o to expand)"]);
    expect(rows.slice(2, -1)).toEqual(numbers.split("\n").slice(-10));
    expect(rows.at(-1)).toBe("1.23s");
  });

  it("shows all text when expanded, and the whole output where the host has read it", () => {
    const result = answer(`${numbers}\n\nWall time: 1.23 seconds`);

    expect(draw(call, result, { expanded: true })).toEqual(["✓ $ make", ...numbers.split("\n")]);
    const whole = renderBashCall(call, result, { width: 80, theme, expanded: true, fullOutput: "all\nof it\n" });
    expect(whole).toEqual(["✓ $ make", "    The whole output", "  │ all", "  │ of it"]);
  });

  it("counts rows and not lines: a long line fills several", () => {
    const rows = draw(call, answer("x".repeat(2_000)), { width: 104 });

    expect(rows[1]).toBe("… 10 earlier lines (ctrl+o to expand)");
  });

  it("has fewer rows on a low terminal, and never less than six", () => {
    expect(draw(call, answer(numbers), { rows: 28 }).slice(1)).toEqual([
      "… 32 earlier lines (ctrl+o to expand)",
      ...numbers.split("\n").slice(-8),
    ]);
    expect(draw(call, answer(numbers), { rows: 5 })[1]).toBe("… 34 earlier lines (ctrl+o to expand)");
  });

  it("warns once of what is not shown, with the place of the whole", () => {
    const truncation = {
      direction: "tail" as const,
      truncatedBy: "bytes" as const,
      totalLines: 5_000,
      totalBytes: 900_000,
      outputLines: 801,
      outputBytes: 51_200,
      maxBytes: 51_200,
      shownRange: { startLine: 4_200, endLine: 5_000 },
      artifactId: "7",
    };
    const text =
      "the end\n\n[Showing lines 4200-5000 of 5000 (50.0KB limit). Full: artifact://7]\nWall time: 0.10 seconds";

    const rows = draw(call, answer(text, { meta: { truncation }, wallTimeMs: 100 }), { width: 120 });

    expect(rows.filter((row) => row.includes("artifact://7"))).toEqual([
      "! Truncated: showing lines 4200-5000 of 5000 lines (50KB limit). Full: artifact://7",
    ]);
    expect(rows.at(-1)).toBe("0.10s");
  });

  it("shows a clamped timeout, a job, a signal and an exit status", () => {
    expect(
      draw(
        call,
        answer("x", { timeoutSeconds: 3600, requestedTimeoutSeconds: 9999, exitCode: 137, signal: "SIGKILL" }, true),
      ).at(-1),
    ).toBe("SIGKILL · exit 137 · timeout 3600s (9999s asked for)");
    expect(draw(call, answer("x", { async: { state: "running", jobId: "bg_1", type: "bash" } })).at(-1)).toBe(
      "goes on as bg_1",
    );
  });

  it("names what still runs and what was lost", () => {
    const rows = draw(
      call,
      answer("up", { sessionReset: true, survivors: [{ pid: 12, command: "node server.js", startedAtMs: 0 }] }),
    );

    expect(rows).toContain("! Still running: 12 node server.js");
    expect(rows).toContain("! The shell was replaced; what was set in it may be gone");
  });

  it.each([
    ["pending", undefined, { argsText: '{"comm' }],
    ["running", undefined, { args: { command: "x" } }],
    ["partial", { ...answer("x"), isPartial: true }, call],
    ["success", answer("x"), call],
    ["left running", answer("x", { survivors: [{ pid: 1, command: "x", startedAtMs: 0 }] }), call],
    ["failed", answer("x", { exitCode: 1 }, true), call],
    ["timed out", answer("x", { stopped: "deadline" }, true), call],
    ["cancelled", answer("x", { stopped: "cancelled" }, true), call],
    ["backgrounded", answer("x", { async: { state: "running", jobId: "bg_1", type: "bash" } }), call],
    ["blocked", answer("Blocked: use read", { suggestedTool: "read" }, true), call],
  ] as const)("that is %s has a mark and a colour of its own", (state, result, view) => {
    const marks = {
      pending: "·",
      running: "▸",
      partial: "▸",
      success: "✓",
      "left running": "↗",
      failed: "✗",
      "timed out": "◷",
      cancelled: "■",
      backgrounded: "↗",
      blocked: "⊘",
    };

    expect(draw(view, result)[0]?.startsWith(`${marks[state]} $ `)).toBe(true);
    expect(renderBashCall(view, result, { width: 80 })[0]).toMatch(new RegExp(`^\x1b\\[[0-9;]+m${marks[state]} `));
  });

  it("has no colour where the environment wants none, neither ours nor the command's", () => {
    const rows = renderBashCall(call, answer("\x1b[31mred\x1b[0m"), { width: 80, theme: themeFor({ NO_COLOR: "1" }) });

    expect(rows.join("")).not.toContain("\x1b");
    expect(themeFor({ TERM: "dumb" })).toBe(PLAIN_THEME);
    expect(themeFor({ NO_COLOR: "" }).hasColour).toBe(true);
  });

  it("fits any width from 1 to 200 with any content", () => {
    const random = seededRandom(42);
    for (let round = 0; round < 600; round += 1) {
      const width = 1 + Math.floor(random() * 200);
      const args = { command: hostileText(random), cwd: hostileText(random, 4), env: { A: hostileText(random, 4) } };
      const details = {
        wallTimeMs: 1,
        sessionReset: true,
        survivors: [{ pid: 1, command: hostileText(random, 4), startedAtMs: 0 }],
      };
      const rows = renderBashCall({ args }, answer(hostileText(random), details), { width, expanded: random() < 0.5 });
      expectFitting(rows, width, `round ${round}`);
    }
  });
});

describe("a call on a screen", () => {
  it("is drawn once for as long as nothing changes", () => {
    const component = new BashCallComponent(call, { theme });
    component.setAnswer(answer(numbers));

    const first = component.render(80);
    expect(component.render(80)).toBe(first);
    component.setOptions({ expanded: true });
    expect(component.render(80)).toHaveLength(41);
    expect(component.render(40)).not.toBe(component.render(80));
  });

  it("of which there are three hundred with 50 KB each costs next to nothing per keystroke", () => {
    const text = "a line of sixty characters, as they are in an ordinary log..\n".repeat(840);
    const components = Array.from({ length: 300 }, () => {
      const component = new BashCallComponent(call);
      component.setAnswer(answer(text));
      component.render(120);
      return component;
    });

    const times = Array.from({ length: 20 }, () => {
      const begin = performance.now();
      for (const component of components) component.render(120);
      return performance.now() - begin;
    });

    expect(Math.min(...times)).toBeLessThan(5);
  });
});
