/** The console's parts: what a line means, how it is edited and drawn, and how reads become keys. */
import { decodeInput, displayWidth } from "@pi-bash/renderer/internal";
import { describe, expect, it, vi } from "vitest";
import { readLine } from "../src/console/entered-line.ts";
import { InputReader } from "../src/console/input-reader.ts";
import { LineEditor } from "../src/console/line-editor.ts";
import { promptRows } from "../src/console/prompt-view.ts";

const UP = "\x1b[A";
const DOWN = "\x1b[B";
const LEFT = "\x1b[D";

function typed(keys: string, editor = new LineEditor()): LineEditor {
  for (const input of decodeInput(keys, { applicationCursor: false })) editor.take(input);
  return editor;
}

describe("a line", () => {
  it.each([
    ["  ", { kind: "nothing" }],
    ["ls -l", { kind: "tool", params: { command: "ls -l" } }],
    ["/usr/bin/env", { kind: "tool", params: { command: "/usr/bin/env" } }],
    ["/tool ls", { kind: "tool", params: { command: "ls" } }],
    ['{"command":"ls","timeout":3}', { kind: "tool", params: { command: "ls", timeout: 3 } }],
    ["{ echo a; }", { kind: "tool", params: { command: "{ echo a; }" } }],
    ["/pty vi x", { kind: "tool", params: { command: "vi x", pty: true, timeout: 3600 } }],
    ["/bg make", { kind: "tool", params: { command: "make", async: true } }],
    ["!ls", { kind: "user", command: "ls", isExcluded: false }],
    ["!! echo a\necho b", { kind: "user", command: "echo a\necho b", isExcluded: true }],
    ["/kill bg_1", { kind: "kill", id: "bg_1" }],
    ["/attach bg_1", { kind: "attach", id: "bg_1" }],
    ["/quit", { kind: "quit" }],
  ])("%j means what it says", (line, meaning) => {
    expect(readLine(line)).toEqual(meaning);
  });

  it("with a task tool's name is a call of it", () => {
    expect(readLine('{"tool": "task_list"}')).toEqual({ kind: "tool", tool: "task_list", params: {} });
    expect(readLine('{"tool": "task_await", "params": {"timeout_secs": 0}}')).toEqual({
      kind: "tool",
      tool: "task_await",
      params: { timeout_secs: 0 },
    });
    expect(readLine('{"tool": "job", "params": {"poll": ["bg_1"]}}')).toEqual({
      kind: "tool",
      tool: "job",
      params: { poll: ["bg_1"] },
    });
  });

  it.each(["!", "/kill", "/pty ", "/what", '{"tool": "rm"}', '{"tool": 1}', '{"tool": "task", "params": []}'])(
    "%j is answered with what is wrong with it, and runs nothing",
    (line) => {
      expect(readLine(line).kind).toBe("problem");
    },
  );
});

describe("editing", () => {
  it("moves over and erases whole characters, whatever they are made of", () => {
    expect(typed(`a👩‍👩‍👧e\u0301${LEFT}${LEFT}x`).text).toBe("ax👩‍👩‍👧e\u0301");
    expect(typed("a👩‍👩‍👧\x7f").text).toBe("a");
    expect(typed("ab\x1b[D\x1b[3~").text).toBe("a");
  });

  it("erases to either end, and words", () => {
    expect(typed("one two  \x17").text).toBe("one ");
    expect(typed(`one two${LEFT}\x15`).text).toBe("o");
    expect(typed(`one two${LEFT}\x0b`).text).toBe("one tw");
  });

  it("goes through the lines before, and comes back to the one that is written", () => {
    const editor = typed("first");
    editor.submit();
    typed("second", editor).submit();
    typed(`draft${UP}${UP}${UP}`, editor);
    expect(editor.text).toBe("first");
    expect(typed(`${DOWN}${DOWN}${DOWN}`, editor).text).toBe("draft");
  });

  it("takes a paste as text: its breaks stay, its control characters go, keys that mean nothing add nothing", () => {
    expect(typed("\x1b[200~a\r\nb\x1b[31m\x00c\td\x1b[201~\x1b[15~\x1bq").text).toBe("a\nb[31mc\td");
  });

  it("is drawn in rows that fit, with the cursor in them, at any width and place", () => {
    const editor = typed("\x1b[200~echo 漢字 👩‍👩‍👧 e\u0301 \u202e hidden\n\tsecond row that is long\x1b[201~");
    for (let moves = 0; moves < 60; moves += 1) {
      for (const width of [8, 13, 40, 200]) {
        const { rows, cursor } = promptRows(editor, width, 4);
        expect(rows.length).toBeLessThanOrEqual(4);
        expect(rows.map(displayWidth).filter((columns) => columns > width)).toEqual([]);
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThan(width);
      }
      typed(LEFT, editor);
    }
    expect(promptRows(editor, 200, 4).rows.join("")).toContain("\\u{202e}");
  });
});

describe("reads", () => {
  it("that end in the middle of a character, a key or a paste are taken when the rest has come", () => {
    const taken: string[] = [];
    const reader = new InputReader((keys) => taken.push(keys));
    const bytes = Buffer.from(`é漢\x1b[1;5A\x1b[200~one\x1btwo\x1b[201~z`);
    for (const byte of bytes) reader.push(Buffer.from([byte]));
    reader.end();
    expect(taken.filter((keys) => keys !== "")).toEqual(["é", "漢", "\x1b[1;5A", "\x1b[200~one\x1btwo\x1b[201~", "z"]);
  });

  it("give a lone Esc after a moment", () => {
    vi.useFakeTimers();
    try {
      const taken: string[] = [];
      const reader = new InputReader((keys) => taken.push(keys));
      reader.push(Buffer.from("\x1b"));
      expect(taken).toEqual([]);
      vi.advanceTimersByTime(100);
      expect(taken).toEqual(["\x1b"]);
    } finally {
      vi.useRealTimers();
    }
  });
});
