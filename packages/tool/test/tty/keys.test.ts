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
  ])("%s is sent as its bytes", (name, bytes) => {
    expect(parseKey(name).bytes).toBe(bytes);
  });

  it("has the form of application mode where the program asked for it", () => {
    expect(parseKey("Down").applicationBytes).toBe("\u001bOB");
    expect(parseKey("Shift-Down").applicationBytes).toBeUndefined();
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
    expect(line.take([key("Backspace"), key("Enter")])).toEqual({ script: "rm -r x" });
    expect(line.take([text("ls\npwd"), key("Enter")])).toEqual({ script: "ls\npwd" });
  });

  it("looks without taking", () => {
    const line = new TypedLine();
    line.take([text("echo ")]);
    expect(line.look([text("a"), key("Enter")])).toEqual({ script: "echo a" });
    expect(line.take([key("Enter")])).toEqual({ script: "echo " });
  });

  it.each(["Up", "Ctrl-R", "Tab", "Left", "Ctrl-Y", "Alt-.", "Home", "Ctrl-X"])("is unknown after %s", (name) => {
    const line = new TypedLine();
    expect(line.take([key(name), key("Enter")])?.unknownBy).toBe(parseKey(name).name);
    expect(line.take([text("ls"), key("Enter")])).toEqual({ script: "ls" });
  });

  it("is known again once it was given up, and holds a paste until Enter", () => {
    const line = new TypedLine();
    line.take([key("Up"), key("Ctrl-C")]);
    expect(line.take([text("a\nb", true)])).toBeUndefined();
    expect(line.take([key("Enter")])).toEqual({ script: "a\nb" });
    expect(line.take([text("a\tb", true), key("Enter")])).toEqual({ script: "a\tb" });
  });
});
