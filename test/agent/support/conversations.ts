/**
 * What scripted models do with programs that talk: calls that depend on what was read, none of which waits by a sleep.
 *
 * A conversation yields calls of tools, is given what a model reads of each, and returns its last words. What was really
 * changed is the test's to look at. How calls reach the tools is `conversation-loops.ts`.
 */

/** A call of a tool. */
export interface ToolUse {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The model: yields calls, is given what it reads of each, returns its last words. */
export type Conversation = Generator<ToolUse, string, string>;

/** A program on a terminal, as a model has it. */
interface Program {
  readonly id: string;
  /** What the model read at the start. */
  readonly begun: string;
}

/** A conversation, the programs that it needs, and what has to be there before it. */
export interface Talk {
  readonly name: string;
  readonly programs: readonly string[];
  /** Shell text that is run in the folder first. */
  readonly prepare?: string;
  readonly talk: () => Conversation;
  /** Shell text that is run in the folder afterwards. */
  readonly look: string;
  /** What the last words, a blank line, and what `look` printed are together. */
  readonly expected: RegExp;
}

function* start(script: string): Generator<ToolUse, Program, string> {
  const begun = yield {
    tool: "task",
    input: { kind: "bash", script, timeout_secs: 120, display_name: "program", tty: true },
  };
  const [id] = /bash:bg_\d+/.exec(begun) ?? [];
  if (id === undefined) throw new Error(`no task was started: ${begun}`);
  return { id, begun };
}

function* send({ id }: Program, input: Readonly<Record<string, unknown>>): Generator<ToolUse, string, string> {
  return yield { tool: "task_send", input: { task_id: id, ...input } };
}

/** What a model reads when the program has ended. */
const ENDED = /exitCode: \d+/;

/** Answers until the program has ended. `answer` is given what was read. */
function* until(program: Program, answer: (read: string) => string): Generator<ToolUse, string, string> {
  let read = program.begun;
  for (let sends = 0; !ENDED.test(read); sends += 1) {
    if (sends === 30) throw new Error(`it does not end: ${read}`);
    read = yield* send(program, { text: answer(read) });
  }
  return read;
}

const GIT_IDENTITY = "git config user.name a; git config user.email a@example.org; git config commit.gpgsign false";

/** All of them. */
export const TALKS: readonly Talk[] = [
  {
    name: "`npm init` is answered",
    programs: ["npm"],
    *talk() {
      const program = yield* start("npm init");
      const answers: readonly [question: RegExp, answer: string][] = [
        [/package name: \([^)]*\)\s*"$/m, "talkative"],
        [/description:\s*"$/m, "says much"],
      ];
      yield* until(program, (read) => answers.find(([question]) => question.test(read))?.[1] ?? "");
      return "done";
    },
    look: 'node -p \'const p = require("./package.json"); p.name + ": " + p.description\'',
    expected: /^done\n\ntalkative: says much\n$/,
  },
  {
    name: "`git add -p` stages one of two changes",
    programs: ["git"],
    prepare: `git init -q . && ${GIT_IDENTITY} && seq 40 >f && git add f && git commit -qm one && sed -i '2s/.*/two/;38s/.*/last/' f`,
    *talk() {
      const program = yield* start("git add -p");
      yield* until(program, (read) => (read.includes("-38") ? "y" : "n"));
      return "done";
    },
    look: "git diff --cached --stat | tail -1; git diff --cached | grep '^[-+][0-9a-z]'",
    expected: /^done\n\n 1 file changed, 1 insertion\(\+\), 1 deletion\(-\)\n-38\n\+last\n$/,
  },
  {
    name: "`git rebase -i` drops a commit in the editor that it opens",
    programs: ["git", "vim"],
    prepare: `git init -q . && ${GIT_IDENTITY} && for n in 1 2 3; do echo $n >f$n; git add .; git commit -qm c$n; done`,
    *talk() {
      const program = yield* start('GIT_EDITOR="vim -u NONE -n" git rebase -i HEAD~2');
      if (!/^pick \w+ (?:# )?c2/m.test(program.begun)) throw new Error(`no list of commits: ${program.begun}`);
      yield* send(program, { text: "dd", enter: false });
      yield* send(program, { text: ":wq" });
      return "done";
    },
    look: "git log --format=%s",
    expected: /^done\n\nc3\nc1\n$/,
  },
  {
    name: "`gdb` finds a wrong value",
    programs: ["gdb", "gcc"],
    prepare:
      "printf '%s\\n' 'int twice(int n) { int m = n * 3;' 'return m; }' 'int main(void) { return twice(2); }' >t.c; gcc -g -O0 -o t t.c",
    *talk() {
      const program = yield* start("gdb -q -nx ./t");
      yield* send(program, { text: "break 2" });
      yield* send(program, { text: "run" });
      const read = yield* send(program, { text: "print m" });
      yield* send(program, { text: "kill" });
      yield* send(program, { text: "y" });
      yield* send(program, { text: "quit" });
      return /\$1 = (\d+)/.exec(read)?.[0] ?? read;
    },
    look: "true",
    expected: /^\$1 = 6\n\n$/,
  },
  {
    name: "`pdb` finds a wrong value",
    programs: ["python3"],
    prepare:
      "printf '%s\\n' 'def total(items):' '    sum = 1' '    for item in items:' '        sum += item' '    return sum' 'print(total([1, 2]))' >t.py",
    *talk() {
      const program = yield* start("python3 -m pdb t.py");
      yield* send(program, { text: "b 3" });
      yield* send(program, { text: "c" });
      const read = yield* send(program, { text: "p 'sum is', sum" });
      yield* send(program, { text: "q" });
      return /\('sum is', \d\)/.exec(read)?.[0] ?? read;
    },
    look: "true",
    expected: /^\('sum is', 1\)\n\n$/,
  },
  {
    name: "`vim` edits a file",
    programs: ["vim"],
    prepare: "printf 'roses\\n' >notes",
    *talk() {
      const program = yield* start("vim -u NONE -i NONE -n notes");
      yield* send(program, { text: "oviolets", enter: false });
      yield* send(program, { keys: ["Escape", "g", "g"].filter((key) => key === "Escape") });
      const read = yield* send(program, { text: ":wq" });
      return ENDED.exec(read)?.[0] ?? read;
    },
    look: "cat notes",
    expected: /^exitCode: 0\n\nroses\nviolets\n$/,
  },
  {
    name: "`less` is searched and left",
    programs: ["less"],
    prepare: "seq 1000 1999 >numbers",
    *talk() {
      const program = yield* start("LESS= less numbers");
      const read = yield* send(program, { text: "/^1777$" });
      const left = yield* send(program, { text: "q", enter: false });
      return `${/^1777$/m.exec(read)?.[0] ?? read} ${ENDED.exec(left)?.[0] ?? left}`;
    },
    look: "true",
    expected: /^1777 exitCode: 0\n\n$/,
  },
  {
    name: "a REPL of python computes, and takes its time",
    programs: ["python3"],
    *talk() {
      const program = yield* start("python3 -q");
      const slow = yield* send(program, { text: "import time; time.sleep(1.5); 6 * 7" });
      const more = yield* send(program, { text: "_ + 1" });
      const left = yield* send(program, { keys: ["Ctrl-D"] });
      return `${/^42$/m.exec(slow)?.[0] ?? slow} ${/^43$/m.exec(more)?.[0] ?? more} ${ENDED.exec(left)?.[0] ?? left}`;
    },
    look: "true",
    expected: /^42 43 exitCode: 0\n\n$/,
  },
  {
    name: "a REPL of node computes",
    programs: ["node"],
    *talk() {
      const program = yield* start("node");
      const read = yield* send(program, { text: "6 * 7" });
      const left = yield* send(program, { text: ".exit" });
      return `${/^42$/m.exec(read)?.[0] ?? read} ${ENDED.exec(left)?.[0] ?? left}`;
    },
    look: "true",
    expected: /^42 exitCode: 0\n\n$/,
  },
  {
    name: "a menu of `whiptail` is chosen from by arrows",
    programs: ["whiptail"],
    *talk() {
      const program = yield* start("whiptail --menu Colour 12 40 3 r red g green b blue 2>chosen");
      const moved = yield* send(program, { keys: ["Down"] });
      if (!/highlighted: .*green/.test(moved)) throw new Error(`the second entry is not chosen: ${moved}`);
      const left = yield* send(program, { keys: ["Enter"] });
      return ENDED.exec(left)?.[0] ?? left;
    },
    look: "cat chosen",
    expected: /^exitCode: 0\n\ng$/,
  },
];
