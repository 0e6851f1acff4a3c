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
