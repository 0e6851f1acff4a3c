/**
 * What a host is promised beyond the output of scripts: state, reports, copies, memory, and a bash that cannot load it.
 */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";
import { BASH, build, canBuild, compilerStatus, startHost } from "./support/driver-host.ts";

/** Debian's package `bash-static`. */
const STATIC = "/bin/bash-static";

describe.skipIf(!canBuild)(`the driver${canBuild ? "" : " (Linux and a C compiler needed)"}`, () => {
  const built = canBuild ? build() : "";
  const start = () => startHost(built, scratchFolder());

  it("greets with the version of its bash", async () => {
    const version = spawnSync(BASH, ["--version"], { encoding: "utf8" }).stdout;

    expect(version).toContain((await start()).version);
  });

  it("keeps variables, functions, arrays, options, folder and descriptors from order to order", async () => {
    const host = await start();
    await host.run("x=1; a=(1 2 3); f() { echo f$x; }; set -o pipefail; cd /; exec 3<<<text; set -- p q");

    const later = await host.run('f; echo ${a[2]} $# $PWD; set -o | grep pipefail; cat <&3; echo "${BASH_SUBSHELL}"');

    expect(later.output).toBe("f1\n3 2 /\npipefail       \ton\ntext\n0\n");
    expect(later.folder).toBe("/");
  });

  it("keeps the status of one order for the next one's `$?`", async () => {
    const host = await start();
    await host.run("(exit 42)");

    expect((await host.run("echo $?")).output).toBe("42\n");
  });

  it("keeps jobs that an `exit` leaves behind", async () => {
    const host = await start();
    await host.run("sleep 0.05 & p=$!; exit 3");

    expect((await host.run("wait $p; echo $?")).output).toBe("0\n");
  });

  it("takes back set -e, -v, -n and -t at the end of an order, and redirections of 0, 1 and 2", async () => {
    const host = await start();
    const flags = (await host.run("true")).options;
    for (const text of ["set -e", "set -v", "set -n", "set -t", "exec >/dev/null 2>&1 </etc/passwd"])
      await host.run(text);

    expect((await host.run("false; cat; echo here")).output).toBe("here\n");
    expect((await host.run("echo $- $SHELLOPTS")).options).toBe(flags);
  });

  it.each(["f() { exit 3; }; f", "set -e; f() { false; }; f", "set -u; f() { : $nope; }; f"])(
    "shows FUNCNAME as outside of functions after a jump out of one by `%s`",
    async (text) => {
      const host = await start();
      const shown = 'set +u; echo "${FUNCNAME[*]-none} ${#FUNCNAME[@]}"';
      await host.run(text);

      // Bash 4.4 has `main` in it there, later ones have nothing.
      const file = join(scratchFolder(), "script");
      writeFileSync(file, shown);
      expect((await host.run(shown)).output).toBe(spawnSync(BASH, [file], { encoding: "utf8" }).stdout);
    },
  );

  it.each(["echo 'abc", "echo `", "$" + "{x", ")"])(
    "ends a text that does not parse with 2, whatever was before: %s",
    async (text) => {
      const host = await start();

      expect(await host.run(text)).toMatchObject({ ending: "syntax", status: 2 });
      expect(await host.run(`(exit 7)\n${text}`)).toMatchObject({ ending: "syntax", status: 2 });
      expect(await host.run(`true\n${text}`)).toMatchObject({ ending: "syntax", status: 2 });
    },
  );

  it("takes back extdebug, with which a trap on DEBUG that fails would keep later orders from running", async () => {
    const host = await start();
    const { options } = await host.run("set -E");
    await host.run("shopt -s extdebug; trap false DEBUG");

    expect(await host.run("echo here; shopt -q extdebug; echo $?")).toMatchObject({ output: "here\n1\n", options });
  });

  it.each([
    ["x=1; cd /; read -r line </etc/passwd; printf -v y %s $line", false],
    ["x=$(echo)", true],
    [": <(:)", true],
    ["(:)", true],
    ["sleep 0 &", true],
    ["f() { eval '/bin/true'; }; f", true],
  ])("says whether `%s` forked: %s", async (text, madeProcess) => {
    const host = await start();

    expect(await host.run(text)).toMatchObject({ ending: "complete", madeProcess });
  });

  it.each([
    "/bin/true",
    "cat /etc/passwd | head -1 | tr a b; ls / >/dev/null 2>&1 && echo $HOME",
    "(x=1; cd /)",
    "echo $(x=1; echo $x) `pwd`; test -d / || false",
    "! [ -d /nowhere ]",
    "time ls / >/dev/null",
    "cat <<< text\ncat <<END\n$HOME\nEND",
    "nosuchprogram",
    "# nothing",
    "",
  ])("says of `%s` that the shell is as before", async (text) => {
    const host = await start();
    const state =
      "declare -p | grep -v -e PIPESTATUS -e BASH_ -e ' _=' -e RANDOM -e SECONDS; declare -f; alias; trap -p; set +o; pwd";
    const before = await host.run(state);

    expect(await host.run(text)).toMatchObject({ ending: "complete", keptState: true });
    expect((await host.run(state)).output).toBe(before.output);
  });

  it.each([
    "x=1",
    "x=1 true",
    "cd /",
    "ls /; cd /",
    "ls / && x=1",
    "cd / | cat",
    "ls > ${x:=/dev/null}",
    "echo $((x++))",
    "echo $[x++]",
    "((x++))",
    "ls {fd}</dev/null",
    "f() { :; }",
    "exec 5</dev/null",
    "command cd /",
    '"cd" /',
    "$cd /",
    "sleep 0 &",
    "eval ls",
    "shopt -s expand_aliases",
    "if ls /; then x=1; fi",
    "printf -v x y",
    "hash -r",
    "test -v 'a[x=1]'",
    "[ -v $name ]",
    "echo $\\\n{x:=5}",
    "echo $(\\\n(x=5))",
    "echo hi {fd}\\\n>&1",
    "declare -n r='a[x+=1]'\n/bin/echo $r",
    "exit",
    ")",
  ])("does not say so of `%s`", async (text) => {
    const host = await start();

    expect(await host.run(text)).toMatchObject({ keptState: false });
  });

  it("does not say so of a program's name that is a function, or may be an alias", async () => {
    const host = await start();
    await host.run("ls() { x=1; }; echo() { x=1; }; shopt -s nothing");

    expect(await host.run("ls")).toMatchObject({ keptState: false });
    expect(await host.run("echo")).toMatchObject({ keptState: false });
    expect(await host.run("cat /dev/null")).toMatchObject({ keptState: true });
    await host.run("declare -n r='a[x+=1]'; PS4='+$((n+=1)) '");
    expect(await host.run("/bin/echo $r")).toMatchObject({ keptState: false });
    await host.run("set -x");
    expect(await host.run("/bin/true")).toMatchObject({ keptState: false });
    await host.run("set +x; shopt -s expand_aliases; alias cat='x=1'");
    expect(await host.run("cat /dev/null")).toMatchObject({ keptState: false });
  });

  it("keeps what could not be written out of the next order's output", async () => {
    const host = await start();
    await host.run("exec >/dev/full; echo lost; printf lost");

    expect((await host.run("cd /; echo here")).output).toBe("here\n");
    await host.run("exec >/dev/full; printf lost; (exit 3)");
    expect(await host.run("cd /")).toMatchObject({ output: "", status: 0 });
  });

  it("says how an order ended", async () => {
    const host = await start();

    expect(await host.run("false")).toMatchObject({ ending: "complete", status: 1, madeProcess: false });
    expect(await host.run("exit 3")).toMatchObject({ ending: "exit", status: 3 });
    expect(await host.run("echo )")).toMatchObject({ ending: "syntax", status: 2 });
    expect(await host.run("/bin/true")).toMatchObject({ ending: "complete", madeProcess: true });
  });

  it("runs an EXIT trap at the end of the order that set it, and only then", async () => {
    const host = await start();

    expect((await host.run("trap 'echo bye' EXIT; echo x")).output).toBe("x\nbye\n");
    expect((await host.run("trap 'echo again' EXIT; exit 4")).output).toBe("again\n");
    expect((await host.run("trap -p EXIT")).output).toBe("");
  });

  it("gives what is passed as standard input, and keeps errors apart where asked", async () => {
    const host = await start();

    expect((await host.run("cat; cat", "i")).output).toBe("given\n");
    expect((await host.run("cat; echo e >&2", "ie")).output).toBe("given\ne\n");
  });

  it("takes a text of a megabyte from a file", async () => {
    const host = await start();
    const text = `: ${"x".repeat(1_000_000)}\necho $LINENO`;

    expect((await host.run(text)).output).toBe("2\n");
    expect((await host.run("echo from a file; cat", "fi")).output).toBe("from a file\ngiven\n");
  });

  it("refuses what it does not know, and obeys the next order", async () => {
    const host = await start();

    expect(await host.ask("refuse 99")).toBe("refused 22");
    expect(await host.ask("refuse 2")).toBe("refused 24");
    expect((await host.run("echo ok")).output).toBe("ok\n");
  });

  it("leaves a copy with variables, functions, arrays, descriptors, traps and `$$`", async () => {
    const host = await start();
    await host.run(
      "x=1; a=(1 2); f() { echo f$x; }; exec 3<<<text; trap 'echo usr' USR1; trap 'd=1' DEBUG; p=$$; cd /",
    );
    await host.ask("fork same");
    await host.run("x=2; cd /tmp");
    await host.ask("kill 0");
    await host.ask("use 1");

    const copy = await host.run("f; echo ${a[1]} $d; cat <&3; kill -USR1 $BASHPID; [[ $$ = $p ]] && pwd; wait; jobs");

    expect(copy.output).toBe("f1\n2 1\ntext\nusr\n/\n");
    expect((await host.run("exit 5")).status).toBe(5);
  });

  it("leaves a copy whose `$$` is its own where asked, in a process group of its own", async () => {
    const host = await start();
    const [, , pid] = (await host.ask("fork own")).split(" ");
    await host.ask("use 1");

    expect((await host.run("echo $$ $BASHPID")).output).toBe(`${pid} ${pid}\n`);
    expect(await host.run("kill -9 0")).toMatchObject({ ending: "gone" });
    await host.ask("use 0");
    expect((await host.run("echo here; jobs")).output).toBe("here\n");
  });

  it("leaves no copy among a shell's jobs and runs no trap on CHLD for it", async () => {
    const host = await start();
    await host.run("trap 'echo child' CHLD; trap 'exit 9' CHLD");
    await host.ask("fork same");
    await host.ask("kill 1");

    expect((await host.run("echo here; jobs")).output).toBe("here\n");
  });

  it.each(["true", "echo hi; x=(1 2 3)", "set -e; f() { local x=1; false; }; f", 'trap : EXIT; x=1 eval "exit 3"'])(
    "leaks neither memory nor descriptors over 5,000 orders of `%s`",
    async (text) => {
      const host = await start();
      const count = async () => (await host.run("a=(/proc/$$/fd/*); echo ${#a[@]}")).output;
      const memory = async (times: number) => Number((await host.ask(`repeat ${times}`, text)).split(" ")[1]);
      const before = { memory: await memory(500), descriptors: await count() };

      expect(await memory(5000)).toBeLessThanOrEqual(before.memory + 256);
      expect(await count()).toBe(before.descriptors);
    },
  );

  it("refuses to start without a number, on what is not a socket, and under another name", () => {
    const driver = join(built, "pi-driver.so");
    const call = (text: string) => spawnSync(BASH, ["-c", text, "bash", driver], { encoding: "utf8", timeout: 10_000 });

    expect(call('enable -f "$1" pi_driver; pi_driver; echo $?').stdout).toBe("2\n");
    expect(call('enable -f "$1" pi_driver; pi_driver 99; echo $?').stdout).toBe("1\n");
    expect(call('enable -f "$1" nosuch; echo $?; echo here').stdout).toBe("1\nhere\n");
  });

  it.skipIf(!existsSync(STATIC))(
    `is refused in words by a bash that cannot load anything${existsSync(STATIC) ? "" : " (Debian's bash-static needed)"}`,
    () => {
      const script = 'enable -f "$1" pi_driver || echo refused';
      const words = ["-c", script, "bash", join(built, "pi-driver.so")];

      const { stdout, stderr } = spawnSync(STATIC, words, { encoding: "utf8", timeout: 10_000 });

      expect(stdout).toBe("refused\n");
      expect(stderr).toContain("dynamic loading not available");
    },
  );

  it("is refused where a name is missing, and bash goes on", () => {
    // Another program that loads it lacks all of bash's names: `z now` makes that an error of the load.
    const script = 'enable -f "$1" pi_driver || echo refused';
    const stripped = join(scratchFolder(), "lacking.so");
    const source =
      "extern int no_such_name_of_bash(void); int pi_driver_struct(void) { return no_such_name_of_bash(); }";
    const words = ["-shared", "-fPIC", "-nostdlib", "-Wl,-z,now", "-x", "c", "-", "-o", stripped];
    expect(compilerStatus(words, source)).toBe(0);

    const { stdout, stderr } = spawnSync(BASH, ["-c", script, "bash", stripped], { encoding: "utf8", timeout: 10_000 });

    expect(stdout).toBe("refused\n");
    expect(stderr).toContain("no_such_name_of_bash");
  });
});
