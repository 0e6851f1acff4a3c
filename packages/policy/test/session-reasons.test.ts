/** Why a line taints its session, and what of it stays there, word for word. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { sessionChangesOf } from "../src/session-changes.ts";
import { changesShell, taintOf } from "../src/taint.ts";

const taint = (line: string): string | undefined => taintOf(analyzeCommand(line));
/** Each change with the part of the line that it is about. */
const changes = (line: string): string[] =>
  sessionChangesOf(analyzeCommand(line)).map(({ message, span }) => `${message}: ${line.slice(span.start, span.end)}`);

describe("a taint names what it comes from", () => {
  it.each([
    ["ls 'x", "a command that was not understood"],
    ["alias", "`alias`"],
    ["x=1; alias a=b", "`alias`"],
    ["ls; unset x; alias a=b", "`unset`"],
    ["command alias a=b", "`alias`"],
    ["builtin enable -n test", "`enable`"],
    ["time alias a=b", "`alias`"],
    ["eval alias", "`alias`"],
    ["eval ls", "`eval`"],
    ["eval", "`eval`"],
    ["exec ls", "`exec`"],
    ["exec --foo ls", "`exec`"],
    ["command exec ls", "`command`"],
    ["builtin eval ls", "`builtin`"],
    ["command --foo ls", "`command`"],
    ["builtin -x alias", "`builtin`"],
    ["command $x", "`command`"],
    ['builtin "$x"', "`builtin`"],
    ["source f", "`source`"],
    [". f", "`.`"],
    ["$x", "`$x`"],
    ['ls; "$x" a', '`"$x"`'],
    ["$(ls)", "`$(ls)`"],
    ["f() { ls; }", "a function"],
    ["echo ${ ls; }", "a substitution in the shell itself"],
    ["PATH=x", "a new value of `PATH`"],
    ["x=1; IFS=", "a new value of `IFS`"],
    ["for PATH in a; do :; done", "a new value of `PATH`"],
    ["coproc PATH { ls; }", "a new value of `PATH`"],
    ["((PATH=1))", "a new value of `PATH`"],
    ["printf $x$? y", "a variable that `printf` set, of a name that is not known,"],
    ["printf %n $x", "a variable that `printf` set, of a name that is not known,"],
    [": ${!x:=y}", "a variable that `${…:=…}` set, of a name that is not known,"],
    // Builtins come first, then syntax, then variables.
    ["PATH=x; f() { ls; }; alias a=b", "`alias`"],
    ["PATH=x; f() { ls; }", "a function"],
  ])("%s: %s", (line, reason) => {
    expect(taint(line)).toBe(reason);
  });
});

describe("a builtin with plain words keeps what commands mean", () => {
  it.each([
    "export A",
    "export A=1 B=2",
    "export NODE_ENV=test",
    'export "A=$x"',
    "set -e",
    "set +x",
    "set -u -x",
    "set -eux",
    "set -euo pipefail",
    "set +o errexit",
    "set -o nounset",
    "set -o",
    "shopt",
    "trap",
    "hash",
    "umask",
    "ulimit",
    "umask; hash; trap",
  ])("%s", (line) => {
    expect(taint(line)).toBeUndefined();
  });

  it.each([
    "export",
    "export -n A",
    "export -p",
    "export A+=1",
    "export A[0]=1",
    "export 1A=x",
    "export A=1 PATH=x",
    "export PATH",
    "export A=$x",
    "export A=1 $x",
    "export {A,PATH}=1",
    "set",
    "set --",
    "set -f",
    "set -ef",
    "set -e x",
    "set -e -- x",
    "set -o posix",
    "set -o errexit xpipefail",
    "set pipefailx",
    "set -e$x",
    'set "$x"',
    "shopt -s nullglob",
    "trap -p",
    "trap x EXIT",
    "hash -r",
    "umask 0",
    "ulimit -n",
  ])("but with others it does not: %s", (line) => {
    expect(taint(line)).toBe(`\`${line.split(" ")[0]}\``);
  });

  it.each(["declare x", "typeset x", "readonly", "local x", "let x=1", "mapfile a", "readarray a", "getopts a x"])(
    "and any of another builtin do not: %s",
    (line) => {
      expect(taint(line)).toBe(`\`${line.split(" ")[0]}\``);
    },
  );

  it.each(["bind", "complete", "compopt", "fc", "history", "enable", "unalias a", "unset x"])("nor does %s", (line) => {
    expect(taint(line)).toBe(`\`${line.split(" ")[0]}\``);
  });
});

describe("a value that no command obeys", () => {
  it.each(["_=1", "REPLY=1", "COPROC=x", "BASH_REMATCH=x", "MAPFILE=1", "x=1", "read", "coproc ls", "wait -p x"])(
    "is set by %s",
    (line) => {
      expect(taint(line)).toBeUndefined();
    },
  );

  it.each([
    ["BASH_REMATCHX=1", "BASH_REMATCHX"],
    ["XBASH_REMATCH=1; BASH_XREPLY=1", "BASH_XREPLY"],
    ["RANDOM=1", "RANDOM"],
    ["OPTIND=1", "OPTIND"],
    ["BASH_ALIASES[ls]=rm", "BASH_ALIASES"],
    ["LD_PRELOAD=x", "LD_PRELOAD"],
  ])("is not one of another name: %s", (line, name) => {
    expect(taint(line)).toBe(`a new value of \`${name}\``);
  });
});

describe("what runs in a process of its own taints nothing", () => {
  it.each([
    "(alias a=b)",
    "alias a=b | cat",
    "cat | alias a=b",
    "alias a=b &",
    "echo $(alias a=b)",
    "bash -c 'alias a=b; f() { ls; }; PATH=x'",
    "env alias a=b",
    "sudo alias a=b",
    "nohup alias a=b",
    "xargs alias",
    "(f() { ls; })",
    "(echo ${ ls; })",
    "(PATH=x)",
    "PATH=x ls",
    "(exec ls)",
    "($x)",
  ])("%s", (line) => {
    expect(taint(line)).toBeUndefined();
  });
});

describe("a builtin that changes its shell", () => {
  it("is known by its name", () => {
    expect(["alias", "set", ".", "export", "history"].map(changesShell)).toEqual([true, true, true, true, true]);
    expect(["ls", "cd", "", "aliases", "shift"].map(changesShell)).toEqual([false, false, false, false, false]);
  });
});

describe("what stays of a line", () => {
  it.each<[string, string[]]>([
    ["cd", ["`cd` changes the folder of the session: cd"]],
    [
      "pushd x; popd",
      ["`pushd` changes the folder of the session: pushd x", "`popd` changes the folder of the session: popd"],
    ],
    ["dirs -c", ["`dirs` changes the list of folders: dirs -c"]],
    ["set -e", ["`set` changes the session: set -e"]],
    ["export A=1", ["`export` changes the session: export A=1"]],
    ["shopt -s x; shopt", ["`shopt` changes the session: shopt -s x"]],
    ["x=1", ["an assignment sets `x` in the session: x=1"]],
    ["for x in a; do :; done", ["a loop sets `x` in the session: for x in a; do :; done"]],
    ["read", ["`read` sets `REPLY` in the session: read"]],
    ["printf -v $x y", ["`printf` sets a variable of the session: printf -v $x y"]],
    ["ls {x}<f", ["a redirection sets `x` in the session: {x}<f"]],
    ["mapfile a", ["`mapfile` changes the session: mapfile a", "`mapfile` sets `a` in the session: mapfile a"]],
    ["sleep 1 & ls", ["what runs in the background is a job of the session: sleep 1 &"]],
    [
      "x=1; cd a; ls &",
      [
        "`cd` changes the folder of the session: cd a",
        "an assignment sets `x` in the session: x=1",
        "what runs in the background is a job of the session: ls &",
      ],
    ],
    // A taint is named where nothing else of the line would tell.
    ["alias", ["`alias` changes the session: "]],
    ["set", ["`set` changes the session: "]],
    ["eval ls", ["`eval` changes the session: "]],
    ["f() { ls; }", ["a function changes the session: "]],
    ["ls 'x", ["a command that was not understood changes the session: "]],
    ["alias a=b", ["`alias` changes the session: alias a=b"]],
    ["set; cd", ["`cd` changes the folder of the session: cd"]],
  ])("%s", (line, found) => {
    expect(changes(line)).toEqual(found);
  });

  it.each(["shift", "disown", "exit", "logout", "return", "suspend", "bg", "fg", "shift 2", "exit 1"])("%s", (line) => {
    expect(changes(line)).toEqual([`\`${line.split(" ")[0]}\` changes the session: ${line}`]);
  });

  it.each([
    "dirs",
    "jobs",
    "wait",
    "umask",
    "hash",
    "trap",
    "shopt",
    "shiftx",
    "xshift",
    "xcd",
    "cdx",
    "(cd x)",
    "(ls &)",
  ])("is nothing: %s", (line) => {
    expect(changes(line)).toEqual([]);
  });

  it("has a code, and a hint what to do", () => {
    expect(sessionChangesOf(analyzeCommand("cd x"))).toEqual([
      {
        code: "session-change",
        severity: "session",
        message: "`cd` changes the folder of the session",
        hint: "put it in parentheses: `( … )`",
        span: { start: 0, end: 4 },
      },
    ]);
  });
});
