/**
 * What `docs/policy.md` says about classes of lines and hard blocks, by its own examples and limits. Titles quote the
 * page; spellings of each class are in `read-only-classes.test.ts` and `danger-classes.test.ts`.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { decide } from "../src/decide.ts";

const PLACE = { cwd: "/home/me/app", workspace: "/home/me/app", home: "/home/me" };
const classOf = (command: string) => classify(command, PLACE).class;
const isUndecided = (command: string) => classify(command, PLACE).undecided.length > 0;

/** Modules of the runtime that each file below a source folder imports. */
function runtimeImports(folder: string): string[] {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/from "(node:[\w/]+)"/g)].map(
        ([, name]) => `${file} ${name}`,
      ),
    );
}

/** Without its line breaks: where a line ends means nothing. */
const PAGE = readFileSync(new URL("../../../docs/policy.md", import.meta.url), "utf8").replaceAll(/\s+/g, " ");

/** The code of a part of the page, between two texts; a `|` in a table has a backslash before it. */
function codeOf(from: string, to: string): string[] {
  const start = PAGE.indexOf(from);
  const end = PAGE.indexOf(to, start);
  if (start < 0 || end < 0) throw new Error(`docs/policy.md has no part from \`${from}\` to \`${to}\``);
  const part = PAGE.slice(start, end);
  return [...part.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code.replaceAll("\\|", "|"));
}

describe("the page's own examples", () => {
  // In the first column stand places and a setting; no example is a single word.
  const blocked = codeOf("| block | for instance |", "They are judged by meaning").filter((code) =>
    /^\S+ |^a\(/.test(code.replace(/^blockShutdown.*/, "")),
  );
  const undecided = codeOf("- **What cannot be decided asks**", ", and `*` after a `cd`").filter((code) =>
    code.includes(" "),
  );
  const ordinary = codeOf("`rm -rf node_modules dist`", "are not blocks.");

  it("are found on it", () => {
    expect([blocked.length, undecided.length, ordinary.length]).toEqual([21, 6, 5]);
  });

  it.each(blocked)("of hard blocks are blocked: %s", (line) => {
    expect(classOf(line)).toBe("blocked");
  });

  it.each(undecided)("of undecided blocks are undecided: %s", (line) => {
    expect(isUndecided(line)).toBe(true);
  });

  it.each(ordinary)("of ordinary work are neither: %s", (line) => {
    expect(classOf(line)).not.toBe("blocked");
    expect(isUndecided(line)).toBe(false);
  });
});

describe("`classify(command, context)`", () => {
  it("is a function of the text and static tables; it reads no file and starts no program", () => {
    const imports = ["../src", "../../command/src"].flatMap(runtimeImports);

    expect(imports.filter((each) => !each.endsWith("node:path"))).toEqual([
      "git-inspection.ts node:child_process",
      "search-path.ts node:fs",
    ]);
  });

  it("parses a text of up to 8,192 characters once for a call", () => {
    const short = `echo ${"a".repeat(8_187)}`;

    expect(analyzeCommand(short)).toBe(analyzeCommand(short));
    expect(analyzeCommand(`${short}a`)).not.toBe(analyzeCommand(`${short}a`));
  });

  it.each([
    ["a syntax error", "ls (", "ls"],
    ["NUL", "ls\0", "ls"],
    ["a lone surrogate", "ls \ud800", "ls \u{1f642}"],
    ["over 64 KiB", `ls ${"a".repeat(65_534)}`, `ls ${"a".repeat(65_533)}`],
    ["more than 4 000 syntax nodes, `ls;` being three", "ls;".repeat(1_334), "ls;".repeat(1_333)],
    ["6 000 `;`", `echo '${";".repeat(6_001)}'`, `echo '${";".repeat(6_000)}'`],
    ["6 000 `&`", `echo '${"&".repeat(6_001)}'`, `echo '${"&".repeat(6_000)}'`],
    ["6 000 `|`", `echo '${"|".repeat(6_001)}'`, `echo '${"|".repeat(6_000)}'`],
    ["6 000 lines", `echo '${"\n".repeat(6_001)}'`, `echo '${"\n".repeat(6_000)}'`],
    ["1 000 `<<`", `echo '${"<< ".repeat(1_001)}'`, `echo '${"<< ".repeat(1_000)}'`],
    ["nested beyond 64 levels", `${"( ".repeat(65)}ls${" )".repeat(65)}`, `${"( ".repeat(64)}ls${" )".repeat(64)}`],
  ])("does not understand %s, and understands what is within the limit", (_, beyond, within) => {
    expect(classOf(beyond)).toBe("unparseable");
    expect(classOf(within)).toBe("readonly");
  });
});

describe("never read-only", () => {
  it.each([
    ["loops over bash's own variables", "for RANDOM in 1; do ls; done"],
    ["`read` over bash's own variables", "while read -r RANDOM; do ls; done < f"],
    ['`$"…"`', 'echo $"x"'],
    ["copies of descriptors over 2", "echo x >&3"],
    ["`cargo --version`", "cargo --version"],
    ["bare assignments", "x=1"],
    ["functions", "f() { ls; }"],
    ["`eval`", "eval ls"],
    ["`source`", "source f"],
    ["`exec`", "exec ls"],
    ["arithmetic with names", "echo $((x))"],
    ["`${x:=…}`", "echo ${x:=1}"],
    ["`${!x}`", "echo ${!x}"],
    ["`${x@P}`", "echo ${x@P}"],
    ["`[[ -v … ]]`", "[[ -v x ]]"],
    ["redirections that write", "ls > f"],
    ["`/dev/tcp`", "cat < /dev/tcp/h/80"],
    ["programs by another path", "/opt/bin/ls"],
    ["wrappers by another path", "/opt/bin/timeout 5 ls"],
    ["git behind a `cd`", "cd x && git status"],
    ["git by `find -execdir`", "find . -execdir git status \\;"],
    ["names of several capitals in a loop", "for AB in a; do ls; done"],
  ])("are %s: %s", (_, line) => {
    expect(classOf(line)).toBe("not-readonly");
  });

  it.each([
    "ls > /dev/null",
    "ls 2>&1",
    "ls 3>/dev/null",
    "/bin/ls",
    "/usr/bin/timeout 5 ls",
    "echo $((1+2))",
    "for f in a; do ls; done",
    "for F in a; do ls; done",
    "git status",
  ])("are not their neighbours: %s", (line) => {
    expect(classOf(line)).toBe("readonly");
  });
});

describe("the read-only tables", () => {
  it.each([
    ["Unknown options refuse", "sort --new f", "sort -r f"],
    ["abbreviations refuse", "sort --rev f", "sort --reverse f"],
    ["behind `--` a word is no option", "rg foo *", "rg -- foo *"],
    ["its text rules it out", "sort *", "sort ./*.ts"],
    ["its text rules it out", 'sort "$x"', 'sort --key="$x"'],
    ["A number that an option may go without", 'journalctl -n "$x"', "journalctl -n 5"],
    ["hands over `src/…`", "ls | xargs sort", "find src -exec sort {} \\;"],
    ["POSIX shells and bash read it alike", "sh -c 'echo ${x//a/b}'", "sh -c 'echo ${x}'"],
    ["has to be made of plain words", "zsh -c 'ls *'", "zsh -c 'ls a | wc'"],
    ["has to be made of plain words", "ksh -c 'ls *'", "ksh -c 'ls a | wc'"],
    ["for other shells no text counts", "mksh -c ls", "ash -c ls"],
    ["Where a second operand writes", "uniq {a,b}", "uniq a"],
    ["A name that leaves the machine", "hostname -f", "hostname"],
    ["A name that leaves the machine", "ss dst evil.example", "ss -tln"],
    ["Below `/proc` only listed files", "cat /proc/1/mem", "cat /proc/1/status"],
  ])("%s: not `%s`, but `%s`", (_, refused, taken) => {
    expect(classOf(refused)).toBe("not-readonly");
    expect(classOf(taken)).toBe("readonly");
  });

  it.each(["ls --new", "cat $x", "wc *", "grep $x f"])(
    "take any option of a program of which none acts: %s",
    (line) => {
      expect(classOf(line)).toBe("readonly");
    },
  );
});

describe("the environment of other processes", () => {
  it.each([
    "cat /proc/1/envir?n",
    "cat /proc/{1,2}/environ",
    'cat "/proc/$x"',
    "cat /tmp/../proc/1/environ",
    "cd /proc/1 && cat environ",
    "find /proc/1 -name environ -exec cat {} +",
    "echo /proc/1/environ | xargs cat",
    "xargs cat <<< /proc/1/environ",
  ])("is not read by a path that the line shows: %s", (line) => {
    expect(classOf(line)).toBe("not-readonly");
  });

  // No text tells what these read. The page says so, and sends whoever minds to a boundary that the kernel holds.
  it.each([
    "printf '/%s/1/environ' proc | xargs cat",
    "echo /XX/1/environ | tr XX pr | xargs cat",
    "cat names | xargs cat",
    "xargs -a names cat",
  ])("is not seen in names that a program of the line makes or a file holds: %s", (line) => {
    expect(classOf(line)).toBe("readonly");
  });
});

describe("what belongs to the system", () => {
  it.each(
    ["/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/sys", "/usr", "/var"].flatMap((each) => [
      each,
      `${each}/x`,
    ]),
  )("is everything below: %s", (path) => {
    expect(classOf(`rm -rf ${path}`)).toBe("blocked");
  });

  it.each(["/System/x", "/Library/x"])("is everything below, of macOS: %s", (path) => {
    expect(classOf(`rm -rf ${path}`)).toBe("blocked");
  });

  it.each(["/home", "/mnt", "/opt", "/root", "/run", "/srv", "/Users", "/home/ann", "/Users/ann"])(
    "is the folder itself, and each home: %s",
    (path) => {
      expect(classOf(`rm -rf ${path}`)).toBe("blocked");
      expect(classOf(`rm -rf ${path}/x/y`)).toBe("not-readonly");
    },
  );

  it.each(["/var/tmp", "/var/cache", "/var/folders", "/var/lib/apt/lists", "/dev/shm"])(
    "has scratch in: %s",
    (path) => {
      expect(classOf(`rm -rf ${path}/x`)).toBe("not-readonly");
      expect(isUndecided(`rm -rf ${path}/x`)).toBe(false);
    },
  );

  it.each([
    "rm -rf /usr/local/go",
    "rm -rf /var/www/html",
    "rm -rf /var/log/app",
    "chown -R postgres /var/lib/postgresql/data",
  ])("asks below it where people fill a place themselves: %s", (line) => {
    expect(isUndecided(line)).toBe(true);
  });
});

describe("hard blocks do not see", () => {
  it.each([
    ["an interpreter", "python3 -c \"open('/home/me/x', 'w')\""],
    ["a script", "./wipe.sh"],
    ["text that is decoded on the way", "base64 -d x | sh"],
    ["a container", "docker exec c rm -rf /"],
    ["a pod", "kubectl exec p -- rm -rf /"],
    ["text that is edited on the way", "echo 'rm -rf X' | sed s,X,/, | sh"],
    ["a file that a shell reads", "sh < x"],
    ["a loop without an end of its own", "tail -f log | while read x; do y & done"],
    ["processes that a filter picks", "kill $(ps aux | awk '$3 > 0 {print $2}')"],
    ["the processes of a user who is named", "pkill -u me"],
  ])("%s, which asks by default and runs in `yolo`: %s", (_, command) => {
    expect(classOf(command)).toBe("not-readonly");
    expect(decide({ command, ...PLACE }, {}).behavior).toBe("ask");
    expect(decide({ command, ...PLACE, mode: "yolo" }, {}).behavior).toBe("allow");
  });
});
