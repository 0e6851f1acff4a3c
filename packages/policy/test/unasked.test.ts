/** What never runs unasked, as classes: many spellings of each, and honest lines that look like them. Nothing is run. */
import { describe, expect, it } from "vitest";
import { findUnasked } from "../src/unasked/find-unasked.ts";
import { DOWNLOADS_TO_SHELL, HONEST, OPEN_MODES, SYSTEM_WRITES } from "./cases/unasked-lines.ts";

const PLACE = { cwd: "/home/u/p", home: "/home/u", workspace: "/home/u/p" };

function kindsOf(command: string, more: Partial<Parameters<typeof findUnasked>[0]> = {}): string[] {
  return findUnasked({ ...PLACE, command, ...more }).map(({ code }) => code);
}

describe.each([
  ["download-to-shell", DOWNLOADS_TO_SHELL],
  ["system-write", SYSTEM_WRITES],
  ["open-modes", OPEN_MODES],
] as const)("%s", (kind, lines) => {
  it.each(lines)("%s", (line) => {
    expect(kindsOf(line)).toContain(kind);
  });

  it("is allowed by its name, and by no other", () => {
    const [line = ""] = lines;
    expect(kindsOf(line, { allowUnasked: [kind] })).toEqual([]);
    const others = (["download-to-shell", "system-write", "open-modes"] as const).filter((each) => each !== kind);
    expect(kindsOf(line, { allowUnasked: others })).toEqual([kind]);
  });

  it("says what would allow it", () => {
    const [finding] = findUnasked({ ...PLACE, command: lines[0] ?? "" });
    expect(finding?.hint).toContain("`bash.allowUnasked`");
    expect(finding?.hint).toContain(`--allow-unasked ${kind}`);
  });
});

describe("a relative path", () => {
  it("is judged in the folder that its own place of the line is in", () => {
    expect(kindsOf("echo x > passwd; (cd /tmp && ls)", { cwd: "/etc" })).toContain("system-write");
    expect(kindsOf("cd /etc; echo x > passwd")).toContain("system-write");
    expect(kindsOf("echo x > passwd; cd /etc")).toEqual([]);
  });
});

describe("none of them", () => {
  it.each(HONEST)("%s", (line) => {
    expect(kindsOf(line)).toEqual([]);
  });
});

describe("what is known beside the text", () => {
  it("is the folder that the call starts in", () => {
    expect(kindsOf("touch x", { cwd: "/etc/x" })).toEqual(["system-write"]);
    expect(kindsOf("echo > ../../../etc/x", { cwd: "/home/u/p" })).toEqual(["system-write"]);
  });

  it("are the variables of the call", () => {
    expect(kindsOf('echo > "$D/x"', { env: { D: "/etc" } })).toEqual(["system-write"]);
    expect(kindsOf('echo > "$D/x"', { env: { D: "/tmp" } })).toEqual([]);
  });
});

it("shows the command that it is about without what starts it", () => {
  const [found] = findUnasked({ ...PLACE, command: "sudo -u root tee /etc/x < f" });

  expect(found).toMatchObject({ code: "system-write", argv: ["tee", "/etc/x"] });
});

it("stays quick on long lines", () => {
  const line = `${"x=1; ".repeat(1_000)}${"echo $x; ".repeat(1_000)}`;
  const startMs = performance.now();
  expect(kindsOf(line)).toEqual([]);
  expect(performance.now() - startMs).toBeLessThan(10_000);
});

it.each([2, 4])("stays quick where variables grow by themselves, %d times each", (times) => {
  const grows = Array.from({ length: 39 }, (_, at) => `x${at + 1}=${`$x${at}`.repeat(times)}`);
  const before = process.cpuUsage();
  expect(kindsOf(`x0=ab;${grows.join(";")};tee $x39`)).toEqual([]);
  const { user, system } = process.cpuUsage(before);
  // It takes a few milliseconds; texts that were not bounded took a second.
  expect((user + system) / 1_000).toBeLessThan(300);
});
