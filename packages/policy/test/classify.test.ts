/** The class of command lines: recorded cases, and what a classification says. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";

interface Case {
  readonly id: string;
  readonly cmd: string;
  readonly expect: string;
  readonly commands: readonly string[];
  readonly effective?: readonly string[];
}

const CASES = readFileSync(new URL("cases/security.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };
const classOf = (command: string) => classify(command, PLACE).class;

describe("recorded cases", () => {
  it.each(CASES.map((each) => [each.id, each] as const))("%s has its class and its commands", (_, each) => {
    const result = classify(each.cmd, PLACE);
    const shown = (list: readonly { readonly argv: readonly { readonly display: string }[] }[]) =>
      list.map(({ argv }) => argv.map((word) => word.display).join(" ")).filter((text) => text !== "");

    expect(result.class).toBe(each.expect);
    if (each.expect !== "unparseable") {
      expect(shown(result.analysis.commands).toSorted()).toEqual([...each.commands].toSorted());
    }
    expect(shown(result.analysis.effective)).toEqual(expect.arrayContaining([...(each.effective ?? [])]));
  });
});

describe("a classification", () => {
  it("is of the place it is asked for, however often the same text was classified elsewhere", () => {
    const command = "rm -rf ./*";
    const classes = ["/proj/build", "/", "/proj/build", "/home/me", "/"].map((cwd) =>
      classify(command, { ...PLACE, cwd }),
    );

    expect(classes.map((each) => each.class)).toEqual([
      "not-readonly",
      "blocked",
      "not-readonly",
      "blocked",
      "blocked",
    ]);
    expect(classes[2]).toBe(classes[0]);
    expect(classify("shutdown now", { blockShutdown: false }).class).not.toBe("blocked");
    expect(classify("shutdown now").class).toBe("blocked");
  });

  it("is safe to run beside others only where nothing of the session is used or changed", () => {
    expect(classify("ls | head").concurrencySafe).toBe(true);
    for (const command of ["cd x", "ls &", "while read -r x; do echo y; done", "touch x", "ls 'x"]) {
      expect(classify(command).concurrencySafe, command).toBe(false);
    }
  });

  it("explains with place, words and a hint", () => {
    const { findings } = classify("ls; sort $x");

    expect(findings).toEqual([
      {
        code: "expansion-in-option-position",
        severity: "unknown",
        message: "`$x` could expand to an option",
        hint: "write `--` or `./` before it",
        span: { start: 4, end: 11 },
        argv: ["sort", "$x"],
      },
    ]);
  });

  it("still finds what is blocked in a line that does not parse", () => {
    expect(classOf("rm -rf / 'x")).toBe("blocked");
    expect(classOf("ls; rm -rf /; (")).toBe("blocked");
  });
});

describe("what is refused", () => {
  const refusals = (command: string) =>
    classify(command, PLACE).findings.map(({ code, message }) => `${code}: ${message}`);

  it.each([
    ["setsid --ctty ls", "setsid"],
    ["timeout 5 setsid --ctty ls", "setsid"],
    ["setsid --ctty nice -n 5 ls", "nice"],
  ])("names the innermost wrapper: %s", (command, name) => {
    expect(refusals(command).join("\n")).toContain(`\`${name}\``);
  });

  it.each(['cat < /d"$x"', 'cat < /dev"$x"', 'cat < "$x"', "cat < /dev/tcp/h/1", 'cat < /dev/"$x"'])(
    "says so of a path that could be a connection: %s",
    (command) => {
      expect(refusals(command).join("\n")).toContain("can connect to a host");
    },
  );

  it.each(['cat < /tmp/"$x"', "cat < a/dev/tcp"])("does not say so of a path that cannot be one: %s", (command) => {
    expect(refusals(command).join("\n")).not.toContain("can connect to a host");
  });
});

describe("an option whose value is not known", () => {
  it("is known by its name before the `=`, and only at the beginning of its word", () => {
    expect(classOf('git log --format="$f"')).toBe("not-readonly");
    expect(classOf('git log x--format="$f"')).toBe("readonly");
    expect(classOf('date --set="$d"')).toBe("not-readonly");
    expect(classOf('grep --include="$x" -r a')).toBe("readonly");
  });
});
