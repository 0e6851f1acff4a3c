/** What holds a line that only reads: which lines run in the session, confined, on the tables' word alone, or ask. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { decide, type PolicyRequest, type Verdict } from "../src/decide.ts";
import { createPolicy } from "../src/policy.ts";
import { isStrict } from "../src/read-only/grade.ts";
import { READ_ONLY_PROGRAMS } from "../src/read-only/programs.ts";
import { loadRules } from "../src/rules/rule-file.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me", gitDangers: [] };

function verdict(command: string, more: Partial<PolicyRequest> = {}, allow: string[] = []): Verdict {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules({ allow }, "user")] });
}

/** How a line runs that is allowed because it reads, else what becomes of it. */
function run(...given: Parameters<typeof verdict>): string {
  const { behavior, reading } = verdict(...given);
  return behavior === "allow" ? (reading ?? "allowed") : behavior;
}

describe("a line of builtins alone", () => {
  it.each([
    "echo hi",
    "pwd; true && false || :",
    "printf '%s\\n' a b",
    "[ -f package.json ] && echo yes",
    "[[ -d src ]] && echo yes",
    "cd src",
    "cd src && pwd",
    "pushd src; popd",
    "type git; command -v node",
    'echo "$(pwd)" $((1 + 2)) *.ts',
    '(for f in *.ts; do echo "$f"; done)',
    'for f in *.ts; do echo "$f"; done | true',
    "echo a >/dev/null 2>&1",
    "(cd src; pwd) | true",
    "kill -0 4711",
    "# nothing",
  ])("runs in its session whatever holds: %s", (line) => {
    for (const hold of ["kernel", "strict", "none", "tables"] as const)
      expect(run(line, { hold }), hold).toBe("session");
  });

  it.each([
    "echo hi | cat",
    "echo $(ls)",
    "cd src && ls",
    "echo <(pwd)",
    "echo hi < f",
    "true <<< x",
    "cat <<'E'\nx\nE",
    "pwd &",
    "env echo hi",
    "command pwd",
    "bash -c 'echo hi'",
    "/bin/echo hi",
    "while read -r x; do echo $x; done < f",
    // The session may have exported that name.
    'for f in *.ts; do echo "$f"; done',
    "if true; then for f in a; do :; done; fi",
  ])("is not one that starts a program, opens a file or sets a variable: %s", (line) => {
    expect(run(line, { hold: "kernel" })).toBe("confined");
  });
});

describe("where the kernel holds", () => {
  it.each(["git status", "rg foo | head -3", "sed -n 1p f", "find . -exec wc {} +", "ls | xargs cat", "bash -c 'ls'"])(
    "what the tables allow runs confined: %s",
    (line) => {
      expect(run(line, { hold: "kernel" })).toBe("confined");
    },
  );

  it.each([
    "python3 -c 'print(1)'",
    "python3 -I -c 'print(1)' \"$x\"",
    "node -e 'console.log(1)'",
    "node -p process.version",
    "npm ls --depth 0",
    "cargo metadata --format-version 1 --no-deps",
    "go env GOPATH; go version",
    "man 2 open",
    "cd src && git log -1",
    "find . -name .git -execdir git status \\;",
    "ls missing > /dev/stderr",
    "ls > /dev/stdout",
  ])("and nowhere else offline readers run: %s", (line) => {
    expect(run(line, { hold: "kernel" })).toBe("confined");
    for (const hold of ["strict", "none", "tables"] as const) expect(run(line, { hold }), hold).toBe("ask");
  });

  it.each([
    "python3 script.py",
    "python3 -m http.server",
    'python3 -c "$code"',
    "node script.js",
    "node -r ./x.js -e 1",
    "node --require=./x.js -p 1",
    "npm view x",
    "npm outdated",
    "npm test",
    "cargo build",
    "cargo +nightly metadata",
    "cargo search x",
    "go env -w X=1",
    "go env --u X",
    "go list -m -u all",
    "man",
    "curl https://example.com",
    "kubectl get pods",
    "gh pr list",
    "ls > out",
    "ls >> /dev/stderr.log",
    "unknown-program",
  ])("what is not known to read still asks: %s", (line) => {
    expect(run(line, { hold: "kernel" })).toBe("ask");
  });

  it.each(["systemctl status cron", "ifconfig", 'kill -0 "$pid"', "ls; systemctl is-active cron"])(
    "what a confined run cannot serve asks at once, and says why: %s",
    (line) => {
      expect(run(line, { hold: "kernel" })).toBe("ask");
      expect(verdict(line, { hold: "kernel" }).reasons.map(({ code }) => code)).toEqual(["needs-confinement"]);
      expect(run(line, { hold: "tables" })).toBe("unheld");
    },
  );

  it("a line that asks to write is asked about instead, in every mode by its own way", () => {
    const asks = { hold: "kernel", unconfined: true } as const;

    expect(run("git status", asks)).toBe("ask");
    expect(verdict("git status", asks).reasons[0]?.code).toBe("asks-to-write");
    expect(run("git status", { ...asks, mode: "plan" })).toBe("deny");
    expect(run("git status", { ...asks, mode: "dontAsk" })).toBe("deny");
    expect(run("git status", { ...asks, mode: "yolo" })).toBe("allowed");
    expect(run("git status", { ...asks }, ["Bash(git status)"])).toBe("allowed");
    expect(run("echo hi", asks)).toBe("session");
  });

  it("what git's configuration starts is held as well, so that the folder need not be looked at", async () => {
    let looks = 0;
    const inspectGit = async () => {
      looks += 1;
      return [{ key: "core.pager", value: "x", origin: "file:.git/config" }];
    };
    const policy = createPolicy({ inspectGit });
    const request = { command: "git log", cwd: "/proj" };

    expect((await policy.authorize({ ...request, hold: "kernel" })).verdict.reading).toBe("confined");
    expect(looks).toBe(0);
    expect((await policy.authorize({ ...request, hold: "strict" })).behavior).toBe("deny");
    expect((await policy.authorize({ ...request, hold: "kernel", command: "git log; make" })).behavior).toBe("deny");
    expect(looks).toBe(2);
  });
});

describe("where nothing can confine a line", () => {
  it.each([
    "ls -la | head -3",
    "cat f && wc -l f",
    "rg foo src",
    "git status; git -P log -3; git diff; git show",
    "find . -name '*.ts' -print0",
    "timeout 5 grep -r x .",
    "node --version",
  ])("the strict half of the tables decides: %s", (line) => {
    expect(run(line, { hold: "strict" })).toBe("unheld");
    expect(run(line, { hold: "none" })).toBe("ask");
  });

  it.each([
    ["awk '{print $1}' f", "awk"],
    ["sed -n 1p f", "sed"],
    ["jq . f", "jq"],
    ["ls | xargs cat", "cat"],
    ["find . -exec wc {} +", "wc"],
    ["bash -c 'ls'", "ls"],
    ["git blame f", "git"],
    ["tar -tf x.tar", "tar"],
    ["npm --version", "npm"],
  ])("what has a language, helpers or scripts asks: %s", (line, program) => {
    const { behavior, reasons } = verdict(line, { hold: "strict" });

    expect(behavior).toBe("ask");
    expect(reasons.map(({ message }) => message)).toEqual([
      `\`${program}\` is only known to read where it runs confined, which it cannot here`,
    ]);
    expect(verdict(line, { hold: "strict" }).class).toBe("not-readonly");
    expect(run(line, { hold: "tables" })).toBe("unheld");
  });

  it("an allow rule answers for such a command", () => {
    expect(run("awk '{print $1}' f | sort", { hold: "strict" }, ["Bash(awk **)"])).toBe("allowed");
  });
});

describe("a line that a rule allows", () => {
  it("does not rest on reading where rules cover all of it, and does where they cover a part", () => {
    expect(run("git status", { hold: "kernel" }, ["Bash(git status)"])).toBe("allowed");
    expect(run("git status", { hold: "kernel" }, ["Bash"])).toBe("allowed");
    expect(run("git status | head -3", { hold: "kernel" }, ["Bash(git status)"])).toBe("confined");
  });

  it("runs unconfined beside a command that a rule allows to write, so that only the strict half may stand there", () => {
    const rules = ["Bash(npm test)"];

    for (const hold of ["kernel", "strict"] as const) {
      expect(run("git status && npm test", { hold }, rules), hold).toBe("allowed");
      expect(run("npm test | sed -n 1p", { hold }, rules), hold).toBe("ask");
      expect(run("npm test | sed -n 1p", { hold }, [...rules, "Bash(sed **)"]), hold).toBe("allowed");
    }
    expect(run("npm test | head", { hold: "none" }, rules)).toBe("ask");
    expect(run("npm test | sed -n 1p", { hold: "tables" }, rules)).toBe("allowed");
  });
});

describe("a rule for what only reads where it is confined", () => {
  const rules = ["Bash(python3 **)"];

  it("lets it run as any other command, which is not beside others", () => {
    const { behavior, reading, concurrencySafe, ...rest } = verdict("python3 -c 1", { hold: "kernel" }, rules);

    expect({ behavior, reading, concurrencySafe }).toEqual({ behavior: "allow", concurrencySafe: false });
    expect(rest.class).toBe("not-readonly");
  });

  it("takes no confinement away in mode `plan`", () => {
    expect(run("python3 -c 1", { hold: "kernel", mode: "plan" }, rules)).toBe("confined");
    expect(run("git log", { hold: "kernel", mode: "plan" }, ["Bash"])).toBe("confined");
    expect(run("python3 x.py", { hold: "kernel", mode: "plan" }, rules)).toBe("deny");
  });
});

describe("a mode", () => {
  it("that allows every line leaves nothing that rests on reading", () => {
    expect(run("sed -n 1p f", { hold: "kernel", mode: "yolo" })).toBe("allowed");
    expect(run("sed -n 1p f", { hold: "strict", mode: "yolo" })).toBe("allowed");
    expect(run("sed -n 1p f", { hold: "kernel", mode: "auto", sandboxed: true })).toBe("allowed");
    expect(run("sed -n 1p f", { hold: "kernel", mode: "auto" })).toBe("confined");
    expect(run("sed -n 1p f", { hold: "kernel", mode: "plan" })).toBe("confined");
    expect(run("sed -n 1p f", { hold: "strict", mode: "plan" })).toBe("deny");
  });

  it("without a word on what holds goes by the whole tables, as a host without confinement does", () => {
    expect(run("sed -n 1p f")).toBe("unheld");
    expect(run("python3 -c 1")).toBe("ask");
  });
});

it("a tainted session asks whatever holds", () => {
  expect(run("ls", { hold: "kernel", taint: "`alias`" })).toBe("ask");
  expect(run("echo hi", { hold: "kernel", taint: "`alias`" })).toBe("ask");
});

it("only a confined line may run beside others where the tables alone would refuse it", () => {
  expect(verdict("python3 -c 1", { hold: "kernel" }).concurrencySafe).toBe(true);
  expect(verdict("cd x && python3 -c 1", { hold: "kernel" }).concurrencySafe).toBe(false);
  expect(verdict("python3 -c 1", { hold: "strict" }).concurrencySafe).toBe(false);
});

it("every program of the tables was graded: these and no others are outside the strict half", () => {
  const graded = [...READ_ONLY_PROGRAMS.keys()].map((name) => ({ name, effective: analyzeCommand(name).effective }));
  const notStrict = graded.filter(({ effective }) => !effective.every(isStrict)).map(({ name }) => name);

  expect(notStrict.toSorted()).toEqual("ack ack-grep awk gawk git jq mawk npm sed tar xargs".split(" "));
});
