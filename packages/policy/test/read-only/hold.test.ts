/** How a line runs that only reads, by its grade and by what can hold it, and what stands against it otherwise. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import {
  isConcurrencySafe,
  isSessionCommand,
  isStrict,
  needsOutside,
  type ReadingGrade,
} from "../../src/read-only/grade.ts";
import { type ReadOnlyHold, type ReadOnlyRun, runOf, unheldFindings } from "../../src/read-only/hold.ts";

const HOLDS: readonly ReadOnlyHold[] = ["kernel", "strict", "none", "tables"];

describe("the run of a line", () => {
  it.each<[ReadingGrade | undefined, (ReadOnlyRun | undefined)[]]>([
    [undefined, [undefined, undefined, undefined, undefined]],
    ["session", ["session", "session", "session", "session"]],
    ["strict", ["confined", "unheld", undefined, "unheld"]],
    ["tables", ["confined", undefined, undefined, "unheld"]],
    ["kernel", ["confined", undefined, undefined, undefined]],
  ])("of grade %s is by the kernel, the strict half, nothing and the tables: %j", (grade, runs) => {
    expect(HOLDS.map((hold) => runOf(grade, hold, analyzeCommand("ls")))).toEqual(runs);
  });

  it("that asks a service or signals is not confined", () => {
    expect(runOf("strict", "kernel", analyzeCommand("ls; systemctl status x"))).toBeUndefined();
    expect(runOf("strict", "strict", analyzeCommand("ls; systemctl status x"))).toBe("unheld");
    expect(runOf("strict", "kernel", analyzeCommand("kill -0 5; ls"))).toBe("confined");
    expect(runOf("strict", "kernel", analyzeCommand("kill -0 $x; ls"))).toBeUndefined();
  });
});

describe("what stands against a line that is not confined", () => {
  const against = (line: string, hold: ReadOnlyHold): string[] =>
    unheldFindings(analyzeCommand(line), hold).map(({ message }) => message);

  it("is nothing where the tables decide, and never a builtin", () => {
    expect(against("sed -n 1p f", "tables")).toEqual([]);
    for (const hold of HOLDS) expect(against("echo hi; cd x; kill -0 5", hold), hold).toEqual([]);
  });

  it.each<[string, ReadOnlyHold, string[]]>([
    ["ls", "none", ["`ls` has to run confined, and this system cannot confine it"]],
    ["ls", "strict", []],
    ["ls", "kernel", []],
    ["/bin/sed -n 1p f", "strict", ["`sed` is only known to read where it runs confined, which it cannot here"]],
    ["sed p", "none", ["`sed` has to run confined, and this system cannot confine it"]],
    ["sed p", "kernel", ["`sed` is only known to read where it runs confined, and this line does not as a whole"]],
    ["systemctl status", "kernel", ["`systemctl` reaches out of a confined run, so it cannot use one"]],
    ["systemctl status", "strict", []],
    ["systemctl status", "none", ["`systemctl` has to run confined, and this system cannot confine it"]],
    ["xargs ls", "strict", ["`ls` is only known to read where it runs confined, which it cannot here"]],
  ])("of %s by %s", (line, hold, messages) => {
    expect(against(line, hold)).toEqual(messages);
  });

  it("is said of each command, with its words and its place", () => {
    expect(unheldFindings(analyzeCommand("ls; sed p f; jq ."), "strict")).toEqual([
      {
        code: "needs-confinement",
        severity: "unknown",
        message: "`sed` is only known to read where it runs confined, which it cannot here",
        span: { start: 4, end: 11 },
        argv: ["sed", "p", "f"],
      },
      {
        code: "needs-confinement",
        severity: "unknown",
        message: "`jq` is only known to read where it runs confined, which it cannot here",
        span: { start: 13, end: 17 },
        argv: ["jq", "."],
      },
    ]);
  });
});

describe("a command", () => {
  const each = <T>(line: string, of: (command: ReturnType<typeof analyzeCommand>["effective"][number]) => T): T[] =>
    analyzeCommand(line).effective.map(of);

  it.each([
    ["echo a; printf b; [ a ]; test a; :; jobs; break", true],
    ["kill -0 1; kill -0 1 2; kill -l; kill -0; kill -l 9", true],
    ["ls; cat f; /bin/echo a; $x; bash; read x", false],
    ["kill 1; kill -9 1; kill -0 $x; kill -0 %1; kill -0 -1; kill -01 1; kill -L", false],
    ["env echo a; command echo a; timeout 5 echo a", false],
  ])("needs no hold at all: %s is %s", (line, expected) => {
    expect(new Set(each(line, isSessionCommand))).toEqual(new Set([expected]));
  });

  it.each([
    ["ls; cat f; node -v; /usr/bin/ls; timeout 5 ls; env ls; nice ls; time ls", true],
    ["git status; git log -p; git diff; git show; git -P log; git --no-pager log", true],
    ["git blame f; git branch; git; git stash list; git logs; git xlog; git $x", false],
    ["sed p; awk 1; jq .; tar -tf x; ack x; npm -v; unknown; lsx", false],
    ["xargs ls; bash -c ls; find . -exec ls \\;; setsid ls; sudo ls", false],
  ])("is of the strict half: %s is %s", (line, expected) => {
    const named = each(line, (command) => [command.argv[0]?.value, isStrict(command)] as const);

    // `find -exec` is two commands, and `find` itself is of the strict half.
    expect(new Set(named.filter(([name]) => name !== "find").map(([, strict]) => strict))).toEqual(new Set([expected]));
  });

  it.each([
    ["systemctl status; ifconfig; /sbin/ifconfig; kill 1; kill -0 $x", true],
    ["ls; kill -0 5; kill -l; systemctlx; xkill; ps", false],
  ])("cannot be served where it is confined: %s is %s", (line, expected) => {
    expect(new Set(each(line, needsOutside))).toEqual(new Set([expected]));
  });
});

describe("a line may run beside others", () => {
  it.each([
    ["ls", true],
    ["ls | wc; echo a", true],
    ["(ls; cat f)", true],
    ["", false],
    ["cd x; ls", false],
    ["ls; pushd x", false],
    ["popd", false],
    ["while read x; do ls; done", false],
    ["jobs", false],
    ["setsid ls", false],
    ["timeout 5 setsid ls", false],
    ["ls &", false],
    ["cdx; readx", true],
  ])("%j: %s", (line, expected) => {
    expect(isConcurrencySafe(analyzeCommand(line))).toBe(expected);
  });
});
