/** Keys by their names and the bytes that a terminal sends for them; the line that they and a text make. */
import { describe, expect, it } from "vitest";
import { parseKey } from "../../src/tasks/tty-keys.ts";
import { TypedLine } from "../../src/tasks/typed-line.ts";

const key = (name: string) => ({ key: parseKey(name) });
const text = (of: string, isPasted = false) => ({ text: of, isPasted });

describe("a key", () => {
  it.each([
    ["Enter", "\r"],
    ["CR", "\r"],
    ["Tab", "\t"],
    ["ESC", "\u001b"],
    ["^C", "\u0003"],
    ["C-c", "\u0003"],
    ["CTRL_C", "\u0003"],
    ["ctrl+c", "\u0003"],
    ["Ctrl-[", "\u001b"],
    ["Ctrl-Space", "\u0000"],
    ["Alt-x", "\u001bx"],
    ["M-x", "\u001bx"],
    ["Alt-Ctrl-X", "\u001b\u0018"],
    ["Alt--", "\u001b-"],
    ["Up", "\u001b[A"],
    ["ctrl-right", "\u001b[1;5C"],
    ["Shift-Tab", "\u001b[Z"],
    ["F1", "\u001bOP"],
    ["f12", "\u001b[24~"],
    ["Shift-F5", "\u001b[15;2~"],
    ["PgUp", "\u001b[5~"],
    ["page-down", "\u001b[6~"],
    ["Delete", "\u001b[3~"],
    ["Backspace", "\u007f"],
    ["Space", " "],
    ["Right", "\u001b[C"],
    ["Left", "\u001b[D"],
    ["Home", "\u001b[H"],
    ["End", "\u001b[F"],
    ["Insert", "\u001b[2~"],
    ["PageDown", "\u001b[6~"],
    ["F4", "\u001bOS"],
    ["Ctrl-F1", "\u001b[1;5P"],
    ["F5", "\u001b[15~"],
    ["Shift-Up", "\u001b[1;2A"],
    ["Alt-Up", "\u001b[1;3A"],
    ["Shift-Alt-Up", "\u001b[1;4A"],
    ["Ctrl-Shift-Up", "\u001b[1;6A"],
    ["Ctrl-Alt-Up", "\u001b[1;7A"],
    ["Ctrl-Alt-Shift-Up", "\u001b[1;8A"],
    ["Alt-Delete", "\u001b[3;3~"],
    ["Alt-Enter", "\u001b\r"],
    ["Alt-Tab", "\u001b\t"],
    ["Alt-Escape", "\u001b\u001b"],
    ["Alt-Shift-Tab", "\u001b\u001b[Z"],
    ["Ctrl-Backspace", "\b"],
    ["Ctrl-Alt-Backspace", "\u001b\b"],
    ["Ctrl-Alt-Space", "\u001b\u0000"],
    ["Alt-Shift-x", "\u001bX"],
    ["Alt-X", "\u001bX"],
    ["Alt-ä", "\u001bä"],
    ["Alt-😀", "\u001b😀"],
    ["Ctrl-@", "\u0000"],
    ["Ctrl-_", "\u001f"],
    ["Ctrl-?", "\u007f"],
    ["Ctrl-z", "\u001a"],
    ["Ctrl-Shift-c", "\u0003"],
    ["^?", "\u007f"],
    [" Enter ", "\r"],
    ["Arrow-Up", "\u001b[A"],
    ["return", "\r"],
    ["LF", "\r"],
    ["newline", "\r"],
    ["bs", "\u007f"],
    ["del", "\u001b[3~"],
    ["ins", "\u001b[2~"],
    ["spc", " "],
    ["pgdn", "\u001b[6~"],
    ["PgDown", "\u001b[6~"],
    ["ArrowDown", "\u001b[B"],
    ["ArrowLeft", "\u001b[D"],
    ["ArrowRight", "\u001b[C"],
    ["control-c", "\u0003"],
    ["meta-x", "\u001bx"],
    ["option-x", "\u001bx"],
    ["a-x", "\u001bx"],
    ["s-tab", "\u001b[Z"],
  ])("%s is sent as its bytes", (name, bytes) => {
    expect(parseKey(name).bytes).toBe(bytes);
  });

  it("has the form of application mode where the program asked for it", () => {
    expect(parseKey("Down").applicationBytes).toBe("\u001bOB");
    expect(parseKey("Shift-Down").applicationBytes).toBeUndefined();
  });

  it.each([
    ["^c", "Ctrl-C"],
    ["ctrl+alt+x", "Alt-Ctrl-X"],
    ["shift-CTRL-up", "Ctrl-Shift-Up"],
    ["alt-pgup", "Alt-PageUp"],
    ["alt-x", "Alt-x"],
    ["alt-shift-x", "Alt-X"],
    ["esc", "Escape"],
    ["f3", "F3"],
    ["Alt-F5", "Alt-F5"],
    ["shift-tab", "Shift-Tab"],
  ])("%s is listed as %s", (name, listed) => {
    expect(parseKey(name).name).toBe(listed);
  });

  it.each(["Up", "Ctrl-Up", "F1", "Delete", "Tab"])("%s has a second form only where it is an arrow alone", (name) => {
    expect(parseKey(name).applicationBytes).toBe(name === "Up" ? "\u001bOA" : undefined);
  });

  it.each([
    "ab^c",
    "1Ctrl-C",
    "Ctrl-C\nx",
    "Ctrl-ß",
    "Shift-Enter",
    "Ctrl-Tab",
    "Ctrl-Escape",
    "Shift-Space",
    "Shift-x",
    "Ctrl-1",
    "Ctrl-xy",
    "Ctrl",
    "F0",
    "^",
    "^ab",
    "Alt-xy",
    "Shift-Shift-Up",
    "Ctrl-{",
    "Ctrl-`",
  ])("%j has no bytes of its own", (name) => {
    expect(() => parseKey(name)).toThrow(/^Unknown key /u);
  });

  it.each(["Crtl-C", "x", "", "Ctrl-", "Ctrl-Enter", "F13", "Ctrl-ä", "Up-Up", "Ctrl-Ctrl-C", "\u0003"])(
    "%j is not one, and the message says which there are",
    (name) => {
      expect(() => parseKey(name)).toThrow(/^Unknown key ".*"\. Keys: Enter, Tab, Escape, .*F1 to F12/u);
    },
  );
});

describe("a typed line", () => {
  it("is assembled of texts and keys, and is run by Enter", () => {
    const line = new TypedLine();
    expect(line.take([text("rm -r"), key("Space"), text("xy")])).toBeUndefined();
    expect(line.take([key("Backspace"), key("Enter")])).toStrictEqual({ script: "rm -r x" });
    expect(line.take([text("ls\npwd"), key("Enter")])).toStrictEqual({ script: "ls\npwd" });
  });

  it("looks without taking", () => {
    const line = new TypedLine();
    line.take([text("echo ")]);
    expect(line.look([text("a"), key("Enter")])).toStrictEqual({ script: "echo a" });
    expect(line.take([key("Enter")])).toStrictEqual({ script: "echo " });
  });

  it.each(["Up", "Ctrl-R", "Tab", "Left", "Ctrl-Y", "Alt-.", "Home", "Ctrl-X"])("is unknown after %s", (name) => {
    const line = new TypedLine();
    expect(line.take([key(name), key("Enter")])?.unknownBy).toBe(parseKey(name).name);
    expect(line.take([text("ls"), key("Enter")])).toStrictEqual({ script: "ls" });
  });

  it("is known again once it was given up, and holds a paste until Enter", () => {
    const line = new TypedLine();
    line.take([key("Up"), key("Ctrl-C")]);
    expect(line.take([text("a\nb", true)])).toBeUndefined();
    expect(line.take([key("Enter")])).toStrictEqual({ script: "a\nb" });
    expect(line.take([text("a\tb", true), key("Enter")])).toStrictEqual({ script: "a\tb" });
  });

  it.each(["Ctrl-C", "Ctrl-U", "Ctrl-G", "Ctrl-Z", "Ctrl-\\"])("is given up by %s", (name) => {
    const line = new TypedLine();
    expect(line.take([text("rm x"), key("Up"), key(name), text("ls"), key("Enter")])).toStrictEqual({ script: "ls" });
  });

  it.each(["Ctrl-D", "Ctrl-L", "Escape", "Ctrl-S", "Ctrl-Q"])("is the same after %s", (name) => {
    const line = new TypedLine();
    expect(line.take([text("l"), key(name), text("s"), key("Enter")])).toStrictEqual({ script: "ls" });
  });

  it.each(["Backspace", "Ctrl-H", "Ctrl-?"])("loses a whole character by %s", (name) => {
    const line = new TypedLine();
    expect(line.take([text("a😀"), key(name), key("Enter")])).toStrictEqual({ script: "a" });
    expect(line.take([key(name), key("Enter")])).toStrictEqual({ script: "" });
  });

  it.each(["Enter", "Ctrl-J", "Ctrl-M"])("is run by %s, and by each end of a line that is typed", (name) => {
    const line = new TypedLine();
    expect(line.take([text("a\r\nb\rc\nd")])).toStrictEqual({ script: "a\nb\nc" });
    expect(line.take([key(name)])).toStrictEqual({ script: "d" });
    expect(line.take([])).toBeUndefined();
  });

  it("says which key changed it first, of all lines that run", () => {
    const line = new TypedLine();
    expect(
      line.take([text("a"), key("Enter"), key("Up"), key("Left"), key("Enter"), key("Home"), key("Enter")]),
    ).toStrictEqual({
      script: "a\n\n",
      unknownBy: "Up",
    });
    expect(line.take([text("ls\t"), key("Up"), key("Enter")])).toStrictEqual({ script: "ls\t", unknownBy: "Tab" });
    expect(line.take([key("Up"), text("ls\t"), key("Enter")])?.unknownBy).toBe("Up");
    expect(line.take([text("ls\npw\t\n")])).toStrictEqual({ script: "ls\npw\t", unknownBy: "Tab" });
  });

  it("looks at what is unknown, too, and forgets nothing by looking", () => {
    const line = new TypedLine();
    line.take([key("Up")]);
    expect(line.look([key("Enter")])).toStrictEqual({ script: "", unknownBy: "Up" });
    expect(line.take([key("Enter")])).toStrictEqual({ script: "", unknownBy: "Up" });
  });

  it("is followed up to a length", () => {
    const line = new TypedLine();
    const longest = "x".repeat(128 * 1024);
    expect(line.take([text(longest), key("Enter")])).toStrictEqual({ script: longest });
    expect(line.take([text(longest), text("y"), key("Enter")])?.unknownBy).toBe("a line of this length");
  });
});
