/**
 * Bash as the judge: a text that the driver runs prints what `bash file` prints and ends with the same status, and the
 * shell lives on. The corpus is that of the sessions (test/oracle); here are those beside it that try to hurt the driver.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCorpus } from "../../test/oracle/corpus.ts";
import { ask, plainlyBy, type Way } from "../../test/oracle/ways.ts";
import { scratchFolder } from "../../test/support/scratch.ts";
import { BASH, build, canBuild, startHost } from "./support/driver-host.ts";

/** After these, the shell is gone, as bash is: the status is still the script's. */
const FATAL: Readonly<Record<string, string>> = {
  "a failed exec": "exec nosuch-program\necho after",
  "an exec": "exec true",
  "an interrupt to itself": "kill -INT $$; echo no",
  "SIGKILL to itself": "kill -9 $$",
};

const HOSTILE: Readonly<Record<string, string>> = {
  "an EXIT trap after exit": "trap 'echo bye $?' EXIT; exit 3",
  "an EXIT trap of a function": "f() { local x=1; trap 'echo \"in $x\"' EXIT; exit 5; }\nf",
  "an EXIT trap below a redirection": "{ trap 'echo to file' EXIT; exit 2; } >f",
  "an EXIT trap that exits": "trap 'echo a; exit 9; echo b' EXIT\nfalse",
  "an EXIT trap with errors": "trap 'nosuch; echo $LINENO' EXIT\necho x\necho y",
  "an EXIT trap that does not parse": "trap 'echo ) ' EXIT\necho x",
  "an ignored EXIT": "trap '' EXIT; exit 2",
  "traps on ERR": "trap 'echo ERR $LINENO' ERR\nfalse\nf() { false; }\nf\n(exit 3)\ntrap - ERR",
  "traps on DEBUG": "trap 'echo D $BASH_COMMAND $LINENO' DEBUG\necho a\nf() { echo in; }\nf\ntrap - DEBUG",
  "traps on RETURN": "trap 'echo R' RETURN\nf() { echo in; }\nf\n. /dev/null\ntrap - RETURN",
  "a syntax error on the third line": "echo one\nif true; then\necho )\nfi",
  "an unfinished quote": 'echo "unfinished',
  "an unfinished here-document": "cat <<E\nno end",
  "an unfinished substitution": "echo $(echo a",
  "an unfinished arithmetic": "echo $(( 1 + ",
  "an unfinished function": "f() { echo a",
  "an unfinished expansion": "echo ${",
  "a return, a break and a local where there is none": "return 4\necho $?\nbreak\nlocal x=1\necho $?",
  "an alias": "shopt -s expand_aliases\nalias l='echo aliased'\nl one",
  "a failure under set -e in a function":
    "set -e\nf() { local a=3; if false; then :; fi; false; }\nf || echo caught\nf",
  "an unset variable": "set -u\necho a\necho $nope\necho b",
  "an error expansion in a function": "f() { local q=1; echo ${nope:?message}; }\nf\necho no",
  "errors in subshells": "(exit 3); echo $?\n(set -e; false; echo no); echo $?\n(echo ${x:?sub}); echo $?",
  "errors in pipelines": "echo a | while read l; do exit 4; done; echo ${PIPESTATUS[@]}",
  "background jobs": "sleep 0.01 & wait $!; echo $?\n{ exit 7; } & wait $!; echo $?\necho ${nope:?bg} & wait; echo $?",
  "a division by zero": "echo $((1/0)); echo a\necho b",
  "an invalid subscript": "m[a b]=1\necho after",
  "a read-only variable": "readonly r=1\nr=2\necho after",
  "a read-only variable in POSIX mode": "set -o posix\nreadonly r=1\nr=2\necho after",
  "a descriptor of its own": "echo content >f; exec 3<f; read l <&3; echo $l; exec 3<&-",
  "an exec to a file": "exec >f; echo x; cat f >&2",
  "a read from standard input": 'read l; echo "$? $l"; cat',
  "all functions unset": "unset -f $(compgen -A function); echo ok",
  "functions named like builtins": "eval() { echo no; }; builtin() { echo no; }; trap() { echo no; }; echo ok",
  "builtins disabled": "enable -n builtin eval echo; eval 'echo x'; echo $?; enable builtin eval echo",
  "a look for our builtin": "compgen -b | grep pi_; enable -a | grep pi_d; type pi_driver; pi_driver 3",
  "a read-only PWD": "readonly PWD; cd /; echo $?",
  "a restricted shell": "set -r; cd /; echo $?; echo >f",
  "set -n": "set -n\necho no",
  "set -t": "set -t\necho one\necho two",
  "set -v": "set -v\necho a\necho b",
  "set -x": "set -x\necho a\nf() { echo b; }\nf $(echo c)\neval 'echo d'\nset +x",
  "few descriptors": "ulimit -n 10; echo ok; echo x | cat",
  "three descriptors": "ulimit -n 3; echo ok",
  "descriptors closed up to 300": 'for i in {3..300}; do eval "exec $i>&-"; done; echo ok',
  "its names": "echo $- $0 $#; f() { caller 0; echo ${FUNCNAME[@]} ${BASH_SOURCE[@]} ${BASH_LINENO[@]}; }; f",
  "an exit within eval, command and a sourced file":
    "echo 'exit 8' >f\n(eval 'exit 6'); echo $?; (command exit 4); . ./f; echo no",
  "an exit from a loop with a redirection": "while :; do exit 3; done >f",
  "an exit from the last part of a pipeline": "shopt -s lastpipe; echo b | { read y; exit 3; }",
  "a coprocess": "coproc cat; echo x >&${COPROC[1]}; read l <&${COPROC[0]}; echo $l; exec {COPROC[1]}>&-; wait",
  "process substitutions": "cat <(echo a) <(echo b)",
  "a trap on a signal": "trap 'echo usr' USR1; kill -USR1 $$; echo x; trap 'exit 5' INT; kill -INT $$; echo no",
  nothing: "\n\n# only a comment\n",
};

describe.skipIf(!canBuild)(`the driver${canBuild ? "" : " (Linux and a C compiler needed)"}`, () => {
  const built = canBuild ? build() : "";

  /** A driver of its own; `alive` has what a later order prints. */
  function inDriver(alive: string[]): Way {
    return async (text, folder) => {
      writeFileSync(join(folder, "bash"), text);
      const host = await startHost(built, folder);
      const { output, status, ending } = await host.run(text);
      if (ending !== "gone") alive.push((await host.run("set +x 2>/dev/null\necho alive")).output);
      return { output, status: status < 0 ? undefined : status };
    };
  }

  async function compare(text: string): Promise<string[]> {
    const scratch = scratchFolder();
    const alive: string[] = [];
    const expected = await ask(plainlyBy(BASH), text, scratch);
    expect(await ask(inDriver(alive), text, scratch)).toEqual(expected);
    return alive;
  }

  it.each(Object.entries(HOSTILE))("does as bash with a file for %s, and lives on", async (_name, text) => {
    expect((await compare(text)).at(-1)).toMatch(/alive\n$/);
  });

  it.each(Object.entries(FATAL))("ends with bash for %s", async (_name, text) => {
    expect(await compare(text)).toEqual([]);
  });

  const scripts = readCorpus().flatMap((theme) => theme.scripts);
  it.each(scripts.map(({ id, text }) => [id, text]))("does as bash with a file: %s", async (_id, text) => {
    await compare(text);
  });

  it("ends the shell with the command's status when a command closed its socket", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "d"));
    const host = await startHost(built, join(folder, "d"));

    const answer = await host.run(
      'for d in /proc/$$/fd/*; do d=${d##*/}; ((d > 2)) && eval "exec $d>&-"; done; exit 7',
    );

    expect(answer).toMatchObject({ ending: "gone", status: 7, output: "" });
    rmSync(folder, { recursive: true });
  });
});
