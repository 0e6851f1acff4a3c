/** Looking through programs that run other programs. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";

function effectiveOf(line: string): string[] {
  return analyzeCommand(line).effective.map((command) => command.argv.map((word) => word.display).join(" "));
}

describe("effective commands", () => {
  it.each([
    ["timeout 10 grep -c foo f", ["grep -c foo f"]],
    ["timeout -s KILL -k 5 10 rm x", ["rm x"]],
    ["timeout --signal=KILL 10s rm x", ["rm x"]],
    ["nice -n 5 rm x", ["rm x"]],
    ["nice -10 rm x", ["rm x"]],
    ["nohup rm x", ["rm x"]],
    ["env A=1 B='x y' rm x", ["rm x"]],
    ["env -u HOME -C /tmp rm x", ["rm x"]],
    ["/usr/bin/env rm x", ["rm x"]],
    ["sudo rm x", ["rm x"]],
    ["sudo -u root -- rm x", ["rm x"]],
    ["sudo -nu root A=1 rm x", ["rm x"]],
    ["doas -u root rm x", ["rm x"]],
    ["stdbuf -oL -e 0 rm x", ["rm x"]],
    ["setsid -w rm x", ["rm x"]],
    ["command -p rm x", ["rm x"]],
    ["command -v rm", ["command -v rm"]],
    ["builtin echo x", ["echo x"]],
    ["exec rm x", ["rm x"]],
    ["time -p rm x", ["rm x"]],
    ["/usr/bin/time -f %e rm x", ["rm x"]],
    ["chroot /mnt rm x", ["rm x"]],
    ["busybox rm x", ["rm x"]],
    ["xargs rm", ["rm"]],
    ["xargs -0 -n 1 -P4 rm -f", ["rm -f"]],
    ["xargs", ["xargs"]],
    ["env", ["env"]],
    ["sudo env nice timeout 5 nohup rm x", ["rm x"]],
    ["bash -c 'rm x; ls'", ["rm x", "ls"]],
    ["sh -ec 'rm $1' _ x", ["rm $1"]],
    ["bash -c \"bash -c 'rm x'\"", ["rm x"]],
    ["eval 'rm x' '; ls'", ["rm x", "ls"]],
    ["watch -n 1 'rm x'", ["rm x"]],
    ["ssh -p 22 host rm x", ["rm x"]],
    ["trap 'rm x' EXIT", ["trap rm x EXIT", "rm x"]],
    ["alias l='rm x'", ["alias l=rm x", "rm x"]],
    ["su -c 'rm x' root", ["su -c rm x root", "rm x"]],
    ["find . -name a -exec rm {} \\;", ["find . -name a -exec rm {} ;", "rm {}"]],
    ["find . -exec rm {} + -o -ok mv {} y ';'", ["find . -exec rm {} + -o -ok mv {} y ;", "rm {}", "mv {} y"]],
    ["find . -exec sh -c 'rm x' \\;", ["find . -exec sh -c rm x ;", "rm x"]],
    ["fd -e ts -x rm", ["fd -e ts -x rm", "rm"]],
  ])("of %s", (line, expected) => {
    expect(effectiveOf(line)).toEqual(expected);
  });

  it.each([
    ["$x rm", "the program name expands"],
    ["timeout $t rm x", "an option expands"],
    ["timeout --new-option 5 rm x", "unknown option `--new-option`"],
    ['bash -c "$x"', "the text for `bash -c` expands"],
    ["bash script.sh", "`bash` runs a file or its input"],
    ["sh", "`sh` runs a file or its input"],
    ["bash -c 'rm (x'", "the text for `bash -c` is not a valid command line"],
    ["xargs -I{} sh -c 'rm {}'", "the text for `sh -c` is completed while it runs"],
    ["xargs -I cat cat", "the program name is filled in while it runs"],
    ["find . -exec {} \\;", "the program name is filled in while it runs"],
    ["nice $opts rm x", "an option expands"],
  ])("are unresolved, with the reason, in: %s", (line, reason) => {
    expect(analyzeCommand(line).effective).toContainEqual(expect.objectContaining({ unresolved: reason }));
  });

  it("know the wrappers passed and the assignments in force", () => {
    const [command] = analyzeCommand("A=1 sudo B=2 env C=3 bash -c 'D=4 rm x'").effective;

    expect(command?.via).toEqual(["sudo", "env", "bash -c"]);
    expect(command?.assignments.map(({ name }) => name)).toEqual(["A", "B", "C", "D"]);
    expect(command?.privileged).toBe(true);
  });

  it.each([
    ["timeout 5 ls", false],
    ["env A=1 ls", false],
    ["env -i ls", true],
    ["env -C / ls", true],
    ["bash -c ls", false],
    ["bash -lc ls", true],
    ["bash --rcfile f -c ls", true],
    ["exec ls", true],
    ["ssh host ls", true],
  ])("are privileged where more than the start changes: %s", (line, privileged) => {
    expect(analyzeCommand(line).effective[0]).toMatchObject({ privileged });
  });

  it("are incomplete where the wrapper adds words", () => {
    expect(analyzeCommand("xargs rm").effective[0]?.argvComplete).toBe(false);
    expect(analyzeCommand("find . -exec rm {} +").effective[1]?.argvComplete).toBe(false);
    expect(analyzeCommand("find . -exec ls x \\;").effective[1]?.argvComplete).toBe(true);
  });

  it("stop at shell texts nested without end", () => {
    let text = "rm x";
    for (let level = 0; level < 12; level++) text = `eval ${JSON.stringify(text)}`;

    expect(analyzeCommand(text).effective).toContainEqual(
      expect.objectContaining({ unresolved: "shell texts nested too deeply" }),
    );
  });
});
