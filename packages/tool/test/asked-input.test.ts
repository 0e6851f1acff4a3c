/**
 * What is said of an output that ends in a question: recognized in the words of real programs, and in nothing else.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandResult } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { askedInputNotice, promptOf, questionOf } from "../src/asked-input.ts";

const CASES = new URL("../../../test/minimizer/cases/", import.meta.url).pathname;

/** Ends of outputs, as these programs write them without a terminal. */
const ASKING: [program: string, output: string][] = [
  ["rm -i", "rm: remove regular empty file 'f'? "],
  ["cp -i", "cp: overwrite 'b'? "],
  ["git add -p", "@@ -1 +1 @@\n-a\n+b\n(1/1) Stage this hunk [y,n,q,a,d,e,?]? \n"],
  [
    "python input",
    'Name: Traceback (most recent call last):\n  File "<string>", line 1\nEOFError: EOF when reading a line\n',
  ],
  ["ssh", "Host key verification failed.\n"],
  ["git over http", "fatal: could not read Username for 'https://example.com': No such device or address\n"],
  ["gpg", "gpg: cannot open '/dev/tty': No such device or address\n"],
  ["apt-get", "Do you want to continue? [Y/n] Abort.\n"],
  ["sudo", "sudo: a terminal is required to read the password; either use the -S option\n"],
  ["docker", "the input device is not a TTY\n"],
  ["fdisk", "Command (m for help): "],
  ["npm", "Is this OK? (yes) Ok to proceed? (y) "],
  ["a script", "Installing\nProceed? (y/N) "],
];

/** Ends of outputs that ask nothing. */
const SAYING = [
  "",
  "done\n",
  "Proceed? (y/N)\n",
  "Downloading: ",
  "Compiling...",
  "Would you like tea\n",
  "error: expected `)`",
  "stdin: is not a tty\nok\n",
  "a: 1\nb: 2\npassword: hunter2",
  "usage: x [--continue]",
];

function ended(result: Partial<CommandResult>): CommandResult {
  const output = result.output ?? "";
  const bytes = Buffer.byteLength(output);
  const counts = { truncated: false, totalLines: 1, outputLines: 1, totalBytes: bytes, outputBytes: bytes };
  return { output, cancelled: false, ...counts, ...result };
}

describe("the hint on a question without an answer", () => {
  it.each(ASKING)("recognizes %s", (_, output) => {
    expect(questionOf(output)).toBeDefined();
  });

  it.each(SAYING)("says nothing of %j", (output) => {
    expect(askedInputNotice(ended({ output, exitCode: 0 }), "x")).toEqual([]);
  });

  it("quotes the question, and says of status 0 what it may mean", () => {
    const output = "Installing\nProceed? (y/N) ";
    expect(askedInputNotice(ended({ output, exitCode: 0 }), "x")).toEqual([
      'It seems to have asked for input ("Proceed? (y/N)") and got none; exit status 0 may mean that nothing was done.',
    ]);
    expect(askedInputNotice(ended({ output, exitCode: 1 }), "x")).toEqual([
      'It seems to have asked for input ("Proceed? (y/N)") and got none.',
    ]);
    expect(askedInputNotice(ended({ output, cancelled: true }), "x")).toEqual([]);
  });

  it("knows a bare `read`, which prints nothing", () => {
    const silent = ended({ exitCode: 1 });
    expect(askedInputNotice(silent, "read -r -p 'Go on? ' answer")).toHaveLength(1);
    expect(askedInputNotice(ended({ exitCode: 0 }), "read answer || true")).toEqual([]);
    for (const command of ["read x < f", "echo a | read x", "read x <<< y", "grep read f", "false", "read <&3"])
      expect(askedInputNotice(silent, command), command).toEqual([]);
  });

  it("is silent on every recorded output of the repository", () => {
    const files = readdirSync(CASES, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const asking = files.filter((file) => questionOf(readFileSync(file, "utf8")) !== undefined);

    expect(files.length).toBeGreaterThan(600);
    expect(asking).toEqual([]);
  });

  it("answers for any text, in one line of bounded length", () => {
    const pieces = [
      "? ",
      "[y/n]",
      "\n",
      "\u001b[2K",
      "password:",
      "\u202e",
      "x".repeat(700),
      "EOF when reading a line",
      "\r",
      "/dev/tty ",
      '"',
    ];
    for (let seed = 0; seed < 2_000; seed += 1) {
      const text = [1, 7, 31, 113].map((step) => pieces[(seed * step + (seed >> 3)) % pieces.length]).join("");
      const [notice = "", ...more] = askedInputNotice(ended({ output: text, exitCode: 0 }), "x");
      expect(more).toEqual([]);
      expect(notice).not.toMatch(/[\p{Cc}\u202e]/u);
      expect(notice.length).toBeLessThan(400);
      expect(promptOf(text)?.length ?? 0).toBeLessThanOrEqual(200);
    }
  });
});

describe("the note on a question that is asked again and again", () => {
  const flood = (line: string) => ended({ output: line.repeat(2_000), totalBytes: 2_000_000, cancelled: true });

  it("is made of few lines, of which the last asks", () => {
    const note = 'It wrote "Name:" again and again: it asks for input that it does not get.';
    expect(askedInputNotice(flood("Name: \n"), "x")).toEqual([note]);
    expect(askedInputNotice(flood("Name: "), "x")).toEqual([note]);
  });

  it("is not made of a flood that asks nothing, nor of a short output", () => {
    expect(askedInputNotice(flood("y\n"), "x")).toEqual([]);
    expect(askedInputNotice(flood("tick\n"), "x")).toEqual([]);
    expect(askedInputNotice(ended({ output: "Name: \n".repeat(200), exitCode: 1 }), "x")).toEqual([]);
  });
});

describe("the edges of what is judged", () => {
  const notice = (output: string, more: Partial<CommandResult> = {}, command = "x") =>
    askedInputNotice(ended({ output, exitCode: 0, ...more }), command);

  it.each([
    "x: stdin is not a terminal",
    "x: standard input is not from a TTY",
    "input is not a tty",
    "/dev/tty: Device not configured",
    "fatal: could not read Password for 'x'",
    "fatal: terminal prompts disabled",
    "terminal prompts have been disabled",
    "sudo: a password is required",
    "no tty present",
    "Prompts can not be meaningfully rendered in non-TTY environments",
    "Prompts could not be shown: non-interactive",
  ])("knows the last words %j, wherever they stand", (line) => {
    expect(questionOf(`before\n${line}\nafter\n`)).toBe(line);
  });

  it.each([
    "Continue?",
    "Continue> ",
    "Continue: ",
    "Continue [1]",
    "Continue (1) ",
    "Password:",
    "Passphrase for key: ",
    "Username: ",
    "user name: ",
    "Press any key:",
    "press ENTER)",
    "Enter your name:",
    "Enter the code>",
    "Enter a value:",
    "Your choice [1]:",
    "your selection?",
    "OK to delete?",
    "Would you like tea?",
    "Do you want this?",
    "Are you sure?",
    "Merge (y/n)?",
    "Merge [yes/no]:",
    "Merge [y,n]?",
  ])("takes the unfinished line %j for a question", (line) => {
    expect(questionOf(`x\n${line}`)).toBe(line.trim());
    expect(questionOf(`${line}\n`)).toBeUndefined();
  });

  it.each(["--continue:", "x-delete?", "predelete?", "Continued?", "Enter name:", "press x:", "y/n?"])(
    "takes the unfinished line %j for none",
    (line) => {
      expect(questionOf(line)).toBeUndefined();
    },
  );

  it("looks at the last six hundred units", () => {
    const phrase = "EOF when reading a line";
    expect(questionOf(`${phrase}\n${"x".repeat(600 - phrase.length - 1)}`)).toBe(phrase);
    expect(questionOf(`${phrase}\n${"x".repeat(600 - phrase.length)}`)).toBeUndefined();
    expect(promptOf(`${"x".repeat(700)}? `)).toBe(`${"x".repeat(199)}…`);
    expect(promptOf(`Name ${"x".repeat(700)}?`)).toBe(`${"x".repeat(199)}…`);
    expect(promptOf("plain")).toBeUndefined();
    expect(promptOf("go on? \n")).toBeUndefined();
  });

  it("quotes a question as it was written, without the blanks around it", () => {
    expect(questionOf("  EOF when reading a line \t\n")).toBe("EOF when reading a line");
    expect(questionOf("\u0007Proceed? ")).toBe("\u0007Proceed?");
    expect(promptOf("\u0007Proceed? ")).toBe("\\u{7}Proceed?");
  });

  it("says only what to do of a command that was ended for it", () => {
    const inputWanted = { pid: 7, program: "vim", ended: true };
    const [advice, ...more] = notice("Proceed? ", { inputWanted, cancelled: true });
    expect(advice).toMatch(/^Run it without questions/);
    expect(more).toEqual([]);
  });

  it("looks for a flood only past a mebibyte, at its last hundred lines", () => {
    const flood = (line: string, totalBytes: number) => notice(line.repeat(150), { totalBytes, exitCode: 1 });
    expect(flood("Name:\n", 1024 * 1024)).toEqual([]);
    expect(flood("Name:\n", 1024 * 1024 + 1)).toHaveLength(1);
    expect(flood("Name:\n\n", 2_000_000)).toHaveLength(1);
    const four = ["a", "b", "c", "Name:"].map((each) => `${each}\n`).join("");
    expect(flood(four, 2_000_000)).toEqual([]);
    expect(flood(four.slice(2), 2_000_000)).toHaveLength(1);
    expect(notice(`${"a\nb\nc\nd\n".repeat(5)}${"Name:\n".repeat(100)}`, { totalBytes: 2_000_000 })).toHaveLength(1);
    expect(notice(`${"Name:\n".repeat(99)}`, { totalBytes: 2_000_000, exitCode: 1 })).toEqual([]);
  });

  it("looks for a prompt without ends of lines that stands there three times", () => {
    const flood = (output: string) => notice(output, { totalBytes: 2_000_000, exitCode: 1 });
    expect(flood("x? x? x? ")).toEqual(['It wrote "x?" again and again: it asks for input that it does not get.']);
    expect(flood("x? x? ")).toEqual([]);
    expect(flood("y".repeat(600))).toEqual([]);
    expect(flood(`${"x".repeat(150)}? `.repeat(9))).toHaveLength(1);
    expect(flood(`${"x".repeat(250)}? `.repeat(9))).toEqual([]);
  });

  it("knows a bare `read` by its status, its silence and its input", () => {
    const silent = { output: "", exitCode: 1 };
    expect(notice("", silent, "echo; read x")).toHaveLength(1);
    expect(notice("", silent, "read x > f")).toHaveLength(1);
    expect(notice("", { exitCode: 2 }, "read x")).toEqual([]);
    expect(notice("x\n", { exitCode: 1 }, "read x")).toEqual([]);
    expect(notice("", silent, "read x; (")).toEqual([]);
    expect(notice("", silent, "ready x")).toEqual([]);
    expect(notice("", silent, "x=$(false)")).toEqual([]);
  });
});

describe("the note on a program that waits", () => {
  it("says who waits, where the command goes on", () => {
    const inputWanted = { pid: 7, program: "vi\nm", ended: false };
    const [note] = askedInputNotice(ended({ inputWanted, cancelled: true }), "x");
    expect(note).toMatch(/^`vi m` \(pid 7\) waits for a person's input and has no terminal\. Run it without questions/);
  });
});
