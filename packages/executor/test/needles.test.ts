/** Secrets that a person typed, replaced in texts and in streams. */
import { describe, expect, it } from "vitest";
import { Needles } from "../src/tty/needles.ts";

function holding(...secrets: string[]): Needles {
  const needles = new Needles();
  for (const secret of secrets) needles.add(secret);
  return needles;
}

describe("needles", () => {
  it("are replaced in a text, wrapped over rows too, and as they stand: no character of them is special", () => {
    const needles = holding("p.ss(w)rd");
    expect(needles.text("a p.ss(w)rd b p.s\ns(w)rd c pXss(w)rd")).toBe("a [secret] b [secret] c pXss(w)rd");
  });

  it("are replaced in a stream however it is cut", () => {
    const text = "say hunter22 and hunter2 and hunt";
    for (let size = 1; size < text.length; size += 1) {
      const needles = holding("hunter2", "hunter22");
      let out = "";
      for (let at = 0; at < text.length; at += size) out += needles.push(text.slice(at, at + size));
      out += needles.finish();
      expect(out.replaceAll("[secret]2", "[secret]"), `pieces of ${size}`).toBe("say [secret] and [secret] and hunt");
    }
  });

  it("hold back no more than what may be the begin of one", () => {
    const needles = holding("secret-1");
    expect(needles.push("abc sec")).toBe("abc ");
    expect(needles.push("ond")).toBe("second");
  });

  it("of fewer than 4 characters are left, and none costs nothing", () => {
    expect(holding("abc", "").text("abc")).toBe("abc");
    expect(new Needles().push("abc")).toBe("abc");
  });
});

describe("what is held of needles", () => {
  it.each([
    ["4 characters", "abcd", true],
    ["3 characters", "abc", false],
    ["3 characters of two units each", "🙂🙂🙂", false],
    ["4 characters of two units each", "🙂🙂🙂🙂", true],
    ["4,096 units", "x".repeat(4_096), true],
    ["4,097 units", "x".repeat(4_097), false],
  ])("is a secret of %s: %#", (_, secret, isHeld) => {
    expect(holding(secret).text(`a ${secret} b`)).toBe(isHeld ? "a [secret] b" : `a ${secret} b`);
  });

  it("may be a line of any length that a terminal takes, wrapped over rows", () => {
    const secret = Array.from({ length: 1_365 }, (_, at) => "abc".slice(at % 3) + (at % 10))
      .join("")
      .slice(0, 4_096);
    const rows = secret.replaceAll(/.{80}/g, (row) => `${row}\n`);

    expect(holding(secret).text(`a ${rows} b\nc`)).toBe(`a [secret] b\nc`);
  });

  it("is not found over an empty row, and leaves the rows around it as they are", () => {
    const needles = holding("hunter2");
    expect(needles.text("hunt\n\ner2")).toBe("hunt\n\ner2");
    expect(needles.text("\na\nhun\nter2\n\n\nhunter\n2\nb\n")).toBe("\na\n[secret]\n\n\n[secret]\nb\n");
    expect(needles.text("")).toBe("");
  });

  it("is the newest 64; one that comes again counts once", () => {
    const secrets = Array.from({ length: 65 }, (_, at) => `secret-${String(at).padStart(2, "0")}`);
    const needles = holding(...secrets.slice(0, 64), "secret-63");
    expect(needles.text("secret-00 secret-63")).toBe("[secret] [secret]");
    needles.add("secret-64");

    expect(needles.text("secret-00 secret-01 secret-64")).toBe("secret-00 [secret] [secret]");
    expect(needles.push("secret-00 secret-01.")).toBe("secret-00 [secret].");
  });

  it("is the longer one where one begins like another, in texts and in streams", () => {
    const needles = holding("hunter", "hunter22", "hunter2");
    expect(needles.text("hunter22x hunter2x hunterx")).toBe("[secret]x [secret]x [secret]x");
    expect(needles.push("hunter22x hunter2x hunterx")).toBe("[secret]x [secret]x [secret]x");
  });

  it("of a stream is given out at its end once, and held back as little as may be", () => {
    const needles = holding("abcdef", "cdxyz");
    expect(needles.push("..abcd")).toBe("..");
    expect(needles.push("")).toBe("");
    expect([needles.finish(), needles.finish()]).toEqual(["abcd", ""]);
    expect(needles.push("cd")).toBe("");
    expect(needles.push("xyz!")).toBe("[secret]!");
    expect(needles.push("abcdef")).toBe("[secret]");
  });

  it.each([
    "a.cd",
    "a\\cd",
    "a^cd",
    "a$cd",
    "a*cd",
    "a+cd",
    "a?cd",
    "a(cd",
    "a)cd",
    "a[cd",
    "a]cd",
    "a{cd",
    "a|cd",
    "a/cd",
  ])("has no special characters: %s", (secret) => {
    const needles = holding(secret);
    expect([needles.text(secret), needles.push(secret), needles.text("abcd acd aacd")]).toEqual([
      "[secret]",
      "[secret]",
      "abcd acd aacd",
    ]);
  });

  it("is found beside rows of any number that are empty, which stay", () => {
    const needles = holding("hunter2");
    expect(needles.text("a\n\n\nhunter2\n\n\n\nhun\nter2")).toBe("a\n\n\n[secret]\n\n\n\n[secret]");
  });
});
