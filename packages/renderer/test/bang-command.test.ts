/** A person's own command, as it runs and when it has ended. */
import type { BashResult } from "@pi-bash/contract";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { BashExecutionComponent } from "../src/bang-command.ts";
import { displayWidth } from "../src/text/width.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { withoutGutter } from "./gutter.ts";
import { hostileText } from "./hostile-text.ts";

function drawn(command = "make"): BashExecutionComponent {
  return new BashExecutionComponent(command, { theme: PLAIN_THEME });
}

/** Its rows without their gutter. */
function inside(component: BashExecutionComponent, width = 60): string[] {
  return withoutGutter(component.render(width));
}

function result(output: string, rest: Partial<BashResult> = {}): BashResult {
  const totalLines = output === "" ? 0 : output.split("\n").length;
  return {
    output,
    exitCode: 0,
    cancelled: false,
    truncated: false,
    totalLines,
    totalBytes: output.length,
    outputLines: totalLines,
    outputBytes: output.length,
    ...rest,
  };
}

describe("a user's command", () => {
  it("says that it runs and how to stop it", () => {
    expect(drawn().render(40)).toEqual(["▸ ! make", "  └ Running… (esc to cancel)"]);
  });

  it("shows its newest 20 lines while it runs, however much comes", () => {
    const component = drawn();
    for (let line = 1; line <= 10_000; line += 1) component.append(`line ${line}\n`);
    component.append("unfinished");

    const rows = inside(component);
    expect(rows[1]).toBe("… 9981 more lines (ctrl+o to expand)");
    expect(rows.slice(2, -1)).toEqual([...Array.from({ length: 19 }, (_, at) => `line ${9982 + at}`), "unfinished"]);
  });

  it("takes chunks that end anywhere", () => {
    const component = drawn();
    for (const character of "one\ntwo\n\x1b[31mthree\x1b[0m") component.append(character);

    expect(inside(component).slice(1, -1)).toEqual(["one", "two", "three"]);
  });

  it("shows the same, however its output was cut into chunks", () => {
    const random = seededRandom(11);
    const pieces = ["\n", "\n\n", "a", "line\n", "x\n".repeat(99), "y\n".repeat(101), "z\n".repeat(250), "end"];
    for (let round = 0; round < 200; round += 1) {
      const chunks = Array.from({ length: 6 }, () => pieces[Math.floor(random() * pieces.length)] ?? "");
      const inChunks = drawn();
      for (const chunk of chunks) inChunks.append(chunk);
      const inCharacters = drawn();
      for (const character of chunks.join("")) inCharacters.append(character);

      expect(inside(inChunks), JSON.stringify(chunks)).toEqual(inside(inCharacters));
    }
  });

  it("keeps a bounded part of a line without end", () => {
    const component = drawn();
    for (let round = 0; round < 200; round += 1) component.append("x".repeat(10_000));

    expect(inside(component).join("").length).toBeLessThan(10_000);
  });

  it("cuts lines of more than 4000 columns and says by how much", () => {
    const component = drawn();
    component.finish(result("y".repeat(4_500)));

    const text = inside(component).join("");
    expect(text).toContain("… [500 visible columns omitted]");
    expect(text.match(/y/g)).toHaveLength(4_000);
  });

  it("shows all lines when expanded, and its last 20 when not", () => {
    const component = drawn();
    component.finish(result(Array.from({ length: 50 }, (_, at) => `l${at}`).join("\n")));

    expect(inside(component)[1]).toBe("… 30 more lines (ctrl+o to expand)");
    component.setExpanded(true);
    expect(inside(component)).toHaveLength(52);
  });

  it.each([
    [{ exitCode: 3 }, "exit 3"],
    [{ cancelled: true }, "cancelled"],
    [{ cancelled: true, timedOut: true }, "timed out"],
    [{ truncated: true, artifactId: "4" }, "! Output truncated. Full: artifact://4"],
    [{ truncated: true, artifactError: "disk full" }, "! Output truncated. disk full"],
    [{ sessionReset: true }, "! The shell was replaced"],
    [{ survivors: [{ pid: 9, command: "sleep", startedAtMs: 0 }] }, "! Still running: 9"],
  ] satisfies [Partial<BashResult>, string][])("says how it ended: %j", (rest, line) => {
    const component = drawn();
    component.finish(result("out", rest));

    expect(inside(component)).toContain(line);
  });

  it("has a mark for how it stands, and the sign that was typed", () => {
    const rest = [{}, { exitCode: 1 }, { cancelled: true }, { cancelled: true, timedOut: true }] as const;
    const left = { survivors: [{ pid: 9, command: "sleep", startedAtMs: 0 }] };
    const marks = [...rest, left].map((facts) => {
      const component = drawn();
      component.finish(result("out", facts));
      return component.render(40)[0];
    });
    expect(marks).toEqual(["✓ ! make", "✗ ! make", "■ ! make", "◷ ! make", "↗ ! make"]);
    const unseen = new BashExecutionComponent("make\nmore", { theme: PLAIN_THEME, isExcludedFromContext: true });
    unseen.finish(result("out"));
    expect(unseen.render(40)).toEqual(["✓ !! make", "  > more", "  │ out", "  └ exit 0 · not for the model"]);
  });

  it("says that there was no output, and why it never ran", () => {
    const quiet = drawn();
    quiet.finish(result(""));
    expect(inside(quiet)).toEqual(["✓ ! make", "no output"]);
    const failed = drawn();
    failed.fail("Working directory does not exist: /x");
    expect(inside(failed)).toEqual(["✗ ! make", "Working directory does not exist: /x"]);
  });

  it("does not end well without an exit status", () => {
    const lost = drawn();
    const { exitCode: _, ...rest } = result("out");
    lost.finish(rest);
    expect([inside(lost)[0], inside(lost).at(-1)]).toEqual(["✗ ! make", "no exit status"]);
  });

  it("counts no line that its whole output does not show", () => {
    const escapes = drawn();
    escapes.append("\x1b[?25l");
    escapes.finish(result("", { totalLines: 1, totalBytes: 6 }));
    expect(inside(escapes)).toEqual(["✓ ! make", "no output"]);
    const cut = drawn();
    cut.finish(result("end", { truncated: true, totalLines: 12 }));
    expect(inside(cut)[1]).toBe("… 11 more lines (ctrl+o to expand)");
  });

  it("has 80 columns on a stream that does not say how many it has", () => {
    const component = drawn("x");
    component.append("y".repeat(100));

    expect(inside(component, Number.NaN)[1]).toBe("y".repeat(76));
  });

  it("fits any width, whatever is in it", () => {
    const random = seededRandom(5);
    for (let round = 0; round < 300; round += 1) {
      const component = new BashExecutionComponent(hostileText(random, 10));
      for (let chunk = 0; chunk < 5; chunk += 1) component.append(hostileText(random));
      if (random() < 0.5) component.finish(result(hostileText(random)));
      const width = 1 + Math.floor(random() * 199);
      for (const row of component.render(width)) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for exactly those
        const parts = row.split(/\x1b\[[0-9;]*m|\x1b\]8;;[\x21-\x7e]*\x1b\\/);
        const rest = parts.join("");
        expect(/\p{Cc}/u.test(rest)).toBe(false);
        // Another measure counts some characters for less, and none for more.
        expect(stringWidth(rest), `round ${round}: ${JSON.stringify(row)}`).toBeLessThanOrEqual(width);
        // Part by part: two halves of a flag in two colours are two characters.
        const columns = parts.reduce((sum, part) => sum + displayWidth(part), 0);
        expect(columns, `round ${round}: ${JSON.stringify(row)}`).toBeLessThanOrEqual(width);
      }
    }
  });
});
