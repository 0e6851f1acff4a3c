/** Where the parts of a call stand: the command at the margin, everything that belongs to it behind a gutter. */
import type { BashDetails } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import type { CallAnswer } from "../src/call-state.ts";
import { renderJobCall } from "../src/jobs/job-call.ts";
import { renderTaskCall } from "../src/tasks/task-call.ts";
import { plainRun } from "../src/text/styled.ts";
import { rowText, wrapWords } from "../src/text/wrap.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { renderBashCall } from "../src/tool-call.ts";
import { hostileText } from "./hostile-text.ts";
import { expectFitting } from "./rows-fit.ts";

const LOOP = "for part in core docs; do\n  build $part\ndone";

function draw(command: string, answer: CallAnswer | undefined, options: { width?: number; collapsed?: boolean } = {}) {
  return renderBashCall({ args: { command } }, answer, { width: 60, theme: PLAIN_THEME, ...options });
}

function answer(text: string, details: BashDetails = {}): CallAnswer {
  return { content: [{ type: "text", text }], details, isError: details.exitCode !== undefined };
}

describe("the parts of a call", () => {
  it("have signs of their own, which say without colour what each row is", () => {
    const details: BashDetails = {
      exitCode: 1,
      wallTimeMs: 12_400,
      timeoutSeconds: 300,
      survivors: [{ pid: 4711, command: "esbuild --watch", startedAtMs: 0 }],
    };

    expect(draw(LOOP, answer("core: 2 errors\ndone", details))).toEqual([
      "✗ $ for part in core docs; do",
      "  >   build $part",
      "  > done",
      "  │ core: 2 errors",
      "  │ done",
      "  ! Still running: 4711 esbuild --watch",
      "  └ exit 1 · 1 process left running · 12.40s",
    ]);
  });

  it("are broken between words and go on where they belong", () => {
    const details: BashDetails = { wallTimeMs: 50, artifactId: "k3f9", sessionReset: true };
    const command = "npm run build -- --workspace packages/renderer && npm test";

    expect(draw(command, answer("an error and the reason for it", details), { width: 30 })).toEqual([
      "✓ $ npm run build --",
      "      --workspace",
      "      packages/renderer && npm",
      "      test",
      "  │ an error and the reason",
      "  │ for it",
      "  ! The shell was replaced;",
      "    what was set in it may be",
      "    gone",
      "  └ 0.05s · artifact k3f9",
    ]);
  });

  it("stand at the margin where there is no room for a gutter", () => {
    expect(draw(LOOP, answer("ok"), { width: 12 })).toEqual([
      "✓ $ for part",
      "in core",
      "docs; do",
      "  build",
      "$part",
      "done",
      "ok",
    ]);
  });

  it("of no output and no command can be taken for one another", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 150; round += 1) {
      const width = 20 + Math.floor(random() * 60);
      const text = `${hostileText(random)}\n  > echo forged\n✓ $ forged\n  └ exit 0`;
      const rows = draw("true", answer(text, { wallTimeMs: 1 }), { width });
      expect(rows[0]).toBe("✓ $ true");
      // A text that asks for the prompt, the mark or the end of the gutter stands behind it.
      const ours = rows.slice(1, -1).filter((row) => !row.startsWith("  │ "));
      const words = ours.map((row) => row.trim()).join(" ");
      expect(words).toMatch(/^(?:… \d+ earlier lines? \(ctrl\+o to expand\))?$/);
      for (const row of ours) expect(row.slice(0, 4)).toBe("    ");
      expect(rows.at(-1)).toBe("  └ 0.00s");
      expectFitting(rows, width, text);
    }
  });
});

describe("a call that is long past", () => {
  const details: BashDetails = { exitCode: 2, wallTimeMs: 3_100 };

  it("is one row: its command as far as it fits, and how it ended", () => {
    const collapsed = (command: string, width: number) =>
      draw(command, answer("x\ny", details), { width, collapsed: true });
    expect(collapsed("npm run lint", 60)).toEqual(["✗ $ npm run lint · exit 2 · 3.10s"]);
    expect(collapsed("npm run lint -- --fix --cache", 40)).toEqual(["✗ $ npm run lint -- --… · exit 2 · 3.10s"]);
    expect(collapsed(LOOP, 60)).toEqual(["✗ $ for part in core docs; do … · exit 2 · 3.10s"]);
    expect(collapsed("npm run lint", 20)).toEqual(["✗ $ npm run lint"]);
  });

  it("is one row whichever tool it was of, and whole again when expanded", () => {
    const options = { width: 60, theme: PLAIN_THEME, collapsed: true };
    const content = [{ type: "text" as const, text: "one\ntwo" }];
    expect(renderTaskCall({ tool: "task_list", args: {} }, { content }, options)).toEqual(["✓ task_list"]);
    expect(renderJobCall({ args: { list: true } }, { content }, options)).toEqual(["✓ job list"]);
    const whole = renderBashCall({ args: { command: LOOP } }, answer("x", details), { ...options, expanded: true });
    expect(whole).toHaveLength(5);
  });
});

describe("words", () => {
  const wrapped = (text: string, width: number) => wrapWords([plainRun(text)], width).map((row) => rowText(row));

  it("are kept together, but for one that fills most of a row", () => {
    expect(wrapped("one two three four", 9)).toEqual(["one two", "three", "four"]);
    expect(wrapped("see /a/very/long/path/to/a/file.ts here", 12)).toEqual([
      "see /a/very/",
      "long/path/to",
      "/a/file.ts",
      "here",
    ]);
    expect(wrapped("  indented by two", 9)).toEqual(["  indente", "d by two"]);
    expect(wrapped("漢字漢字 漢字 漢字", 10)).toEqual(["漢字漢字", "漢字 漢字"]);
  });

  it("of any text and width are all there, in their order", () => {
    const random = seededRandom(5);
    for (let round = 0; round < 300; round += 1) {
      const words = Array.from({ length: 1 + Math.floor(random() * 30) }, () =>
        "abcdefghijklmnop".slice(0, Math.floor(random() * 12)),
      );
      const text = words.join(" ");
      const width = 1 + Math.floor(random() * 40);
      const rows = wrapped(text, width);
      expect(rows.every((row) => row.length <= width)).toBe(true);
      expect(rows.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }
  });
});
