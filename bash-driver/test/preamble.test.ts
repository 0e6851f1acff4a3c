/**
 * What an order brings beside its text: a directory, variables for this order only, the status that `$?` shows first,
 * and a `$$` of its own.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";
import { type Answer, build, canBuild, type DriverHost, startHost } from "./support/driver-host.ts";

interface Preamble {
  readonly directory?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly status?: number;
  readonly flags?: string;
}

describe.skipIf(!canBuild)(`what an order brings${canBuild ? "" : " (Linux and a C compiler needed)"}`, () => {
  const built = canBuild ? build() : "";
  const start = () => startHost(built, scratchFolder());
  const preambleOf = ({ directory = "", variables = {} }: Preamble) =>
    [directory, ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)]
      .map((part) => `${part}\0`)
      .join("");
  const prepare = async (host: DriverHost, given: Preamble) => {
    const preamble = preambleOf(given);
    await host.ask(`prepare ${given.status ?? -1} ${Buffer.byteLength(preamble)}`);
    return preamble;
  };
  const run = async (host: DriverHost, text: string, given: Preamble): Promise<Answer> =>
    host.run((await prepare(host, given)) + text, given.flags);

  it("changes to a directory as `cd` would, and stays there", async () => {
    const [host, folder] = [await start(), scratchFolder()];
    const { output } = await run(host, "pwd; cd - >/dev/null; cd -", { directory: folder });

    expect(output).toBe(`${folder}\n${folder}\n`);
    expect((await host.run("echo $PWD")).output).toBe(`${folder}\n`);
  });

  it.each([
    "readonly PWD OLDPWD",
    "cd() { echo mine; }; builtin() { echo mine; }",
    "enable -n cd",
    "set -e; trap 'echo error' ERR DEBUG",
  ])("changes to a directory after `%s`, without a word", async (before) => {
    const [host, folder] = [await start(), scratchFolder()];
    await host.run(before);

    expect((await run(host, "trap - DEBUG; /bin/pwd", { directory: folder })).output.replace("error\n", "")).toBe(
      `${folder}\n`,
    );
  });

  it("leaves `cd -` alone where it is in the directory already, by that name and in fact", async () => {
    const [host, folder] = [await start(), scratchFolder()];
    await host.run(`cd /usr; cd ${folder}`);

    expect((await run(host, "echo $OLDPWD", { directory: folder })).output).toBe("/usr\n");
    await host.run(`rmdir ${folder} && mkdir ${folder}`);
    expect((await run(host, "ls -a; echo $OLDPWD", { directory: folder })).output).toBe(`.\n..\n${folder}\n`);
    await host.run("PWD=/elsewhere");
    expect((await run(host, "echo $PWD", { directory: "/usr" })).output).toBe("/usr\n");
  });

  it("refuses an order whose directory is not there, and runs nothing", async () => {
    const host = await start();
    const preamble = await prepare(host, { directory: "/nowhere/at/all" });

    expect(await host.ask("run -", `${preamble}touch ran`)).toBe("refused 2");
    expect((await host.run("ls; echo $?")).output).toBe("0\n");
  });

  it("exports variables for one order, programs and functions included", async () => {
    const host = await start();
    await host.run("A=outer; export B=outer; f() { echo $A$B; }");

    const { output } = await run(host, "f; printenv A B; A=changed; echo $A; (echo \"$B\"); eval 'echo $A'", {
      variables: { A: "1", B: "2" },
    });

    expect(output).toBe("12\n1\n2\nchanged\n2\nchanged\n");
    expect((await host.run("f; printenv B; printenv A; declare -p A")).output).toBe(
      'outerouter\nouter\ndeclare -- A="outer"\n',
    );
  });

  it.each([
    "exit 3",
    "set -e; f() { local A=3; false; }; f",
    "f() { echo ${unset?}; }; f",
    "f() { kill -9 $BASHPID; }; (f); (exit 1) | exit 1",
    "if",
  ])("takes them back after `%s`", async (text) => {
    const host = await start();
    await run(host, text, { variables: { A: "1", PATH: "/nowhere" } });

    expect((await host.run('echo "${A-unset}"; printenv A; ls')).output).toBe("unset\n");
  });

  it("takes values as they are", async () => {
    const host = await start();
    const variables = {
      QUOTES: `'"\\$(echo no)\`echo no\``,
      SPACES: " two  lines\nand\ttab ",
      TILDE: "~:~root",
      BYTES: "\u0001\u007fé漢",
      EMPTY: "",
      EQUALS: "a=b=c",
      LONG: "x".repeat(100_000),
    };
    const names = Object.keys(variables);

    const { output } = await run(
      host,
      names.map((name) => `printf '%s\\0' "$${name}"; printenv -0 ${name}`).join("\n"),
      {
        variables,
        flags: "f",
      },
    );

    expect(output.split("\0").slice(0, -1)).toEqual(Object.values(variables).flatMap((value) => [value, value]));
  });

  it("runs nothing where a variable is read-only, says so, and gives the next order none of them", async () => {
    const host = await start();
    await host.run("readonly A=1");

    expect(await run(host, "echo ran", { variables: { C: "3", A: "2" } })).toMatchObject({
      status: 1,
      output: "bash: A: readonly variable\n",
    });
    expect((await host.run('echo "$A ${C-unset}"')).output).toBe("1 unset\n");
  });

  it("lets variables that mean something to bash mean it for one order", async () => {
    const host = await start();
    await host.run("s=é");
    const length = async (variables?: Record<string, string>) =>
      (variables === undefined ? await host.run("echo ${#s}") : await run(host, "echo ${#s}", { variables })).output;

    expect([await length(), await length({ LC_ALL: "C" }), await length()]).toEqual(["1\n", "2\n", "1\n"]);
  });

  it("shows the status it was given first, with and without a change of directory", async () => {
    const host = await start();
    const folder = join(scratchFolder(), "it's a folder");
    mkdirSync(folder);

    expect((await run(host, "echo $? $PWD", { status: 7, directory: folder })).output).toBe(`7 ${folder}\n`);
    await host.run("(exit 5)");
    expect((await run(host, "echo $?", { directory: "/" })).output).toBe("5\n");
  });

  it("refuses a preamble that does not end, or is longer than the order", async () => {
    const host = await start();
    for (const size of [3, 4000]) {
      await host.ask(`prepare -1 ${size}`);
      expect(await host.ask("run -", "echo ran")).toBe("refused 22");
    }

    expect((await host.run("echo here")).output).toBe("here\n");
  });
});
