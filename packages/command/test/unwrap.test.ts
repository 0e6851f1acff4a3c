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
    ["timeout --kill=5 --sig KILL 10 rm x", ["rm x"]],
    ["nice --adj 5 rm x", ["rm x"]],
    ["sudo --chdi=/ --us root rm x", ["rm x"]],
    ['sudo --chdir="$X" rm x', ["rm x"]],
    ["env --split='rm x' y", ["rm x y"]],
    ["prlimit -n10:20 rm x", ["rm x"]],
    ["nsenter -t1 -m -w/ rm x", ["rm x"]],
    ["gnice -n 5 rm x", ["rm x"]],
    ["chrt -i 0 rm x", ["rm x"]],
    ["chrt -p 1", ["chrt -p 1"]],
    ["sudo --list", ["sudo --list"]],
    ["sudo --li", ["sudo --li"]],
    ["npx rm x", ["npx rm x"]],
    ["git bisect run rm x", ["git bisect run rm x"]],
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
    ['nice -n"$x" rm x', "an option expands"],
    ['env -S"$x rm"', "a text is split into words"],
    ["sudo --s root rm x", "unknown option `--s`"],
    ["timeout --ki $t rm x", "unknown option `--ki`"],
  ])("are unresolved, with the reason, in: %s", (line, reason) => {
    expect(analyzeCommand(line).effective).toContainEqual(expect.objectContaining({ unresolved: reason }));
  });

  it.each([
    ["npx rm x", ["rm x"]],
    ["npx -y -p a rm x", ["rm x"]],
    ["npx --odd a rm x", ["a rm x", "rm x"]],
    ["npm exec --odd rm x", ["rm x", "x"]],
    ["npm x --call='rm x; ls'", ["rm x", "ls"]],
    ["npm run rm", []],
    ["uv run --with a,b -- rm x", ["rm x"]],
    ["docker exec -it c rm x", ["rm x"]],
    ["docker run --rm -v a:b img rm x", ["rm x"]],
    ["docker run --entrypoint rm img x", ["x", "rm img x"]],
    ["docker run img", []],
    ["docker run -it img bash", []],
    ["docker rm c", []],
    ["kubectl -n a exec p -c b -- rm x", ["rm x"]],
    ["ip -n a netns exec b rm x", ["rm x", "b rm x"]],
    ["ip vrf exec b rm x", ["rm x"]],
    ["ip addr", []],
    ["nix shell a#b -c rm x", ["rm x"]],
    ["nix develop", []],
    ["concurrently -k 'rm x' ls", ["rm x", "ls"]],
    ["cross-env A=1 B=2 rm x", ["rm x"]],
    ["coreutils --coreutils-prog=rm x", ["x", "rm x"]],
    ["git -C a submodule foreach --recursive 'rm x'", ["rm x"]],
    ["git rebase -x 'rm x' main", ["rm x"]],
    ["git -c alias.z='!rm x' z", ["rm x"]],
    ["git -c user.name='rm x' log", []],
    ["git config alias.z '!rm x'", ["rm x"]],
    ["git -c alias.p='push \"a\"' p b", ["git push a b"]],
    ["git config alias.p push", ["git push"]],
    ["git -c alias.p=!ls -c alias.q=push q", ["ls", "git push"]],
    ["git -c alias.z='!rm x' z y", ["rm x y"]],
    ["git config alias.z '!rm'; git z x", ["rm", "rm x"]],
    ["GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p b", ["git push b", "alias.p", "push"]],
    ["git clone 'ext::ssh -i a% b h %S %% %Gx'", ["git-upload-pack %"]],
    ["start-stop-daemon -S -bx /bin/rm -p f -- x", ["/bin/rm -p f -- x", "f -- x", "x", "/bin/rm x"]],
    ["rsync -ae 'rm x' a b", ["rm x host rsync"]],
    ["socat - 'EXEC:rm x,pty'", ["rm x,pty", "rm x"]],
    ["alias z=rm; z x", ["rm x"]],
    ["git log", []],
    ["npx npx npx rm x", ["npx npx rm x", "npx rm x", "rm x"]],
  ])("may be started by a launcher: %s", (line, expected) => {
    const perhaps = analyzeCommand(line).perhaps.map(({ argv }) => argv.map(({ display }) => display).join(" "));

    expect(perhaps).toEqual(expected);
  });

  it.each([
    `npx ${Array.from({ length: 100 }, (_, at) => `--o${at} v`).join(" ")} rm x`,
    `concurrently ${"ls ".repeat(100)} 'rm x'`,
    `git ${"-c alias.a=!ls ".repeat(100)} -c alias.z='!rm x' z`,
    `tmux ${"a ".repeat(100)} rm x`,
    "concurrently ls 'concurrently ls \"rm x\"'",
    "concurrently ls 'docker exec --odd c rm x'",
    "npx --odd a docker exec --odd c rm x",
  ])("are found or doubted however much stands before them: %#", (line) => {
    const { perhaps } = analyzeCommand(line);

    expect(perhaps.some(({ argv, opaque }) => opaque || argv[0]?.value === "rm")).toBe(true);
  });

  it("leave a launcher the command that runs", () => {
    for (const line of ["npx vitest run", "docker exec c ls", "uv run pytest", "git bisect run make"]) {
      expect(analyzeCommand(line)).toMatchObject({
        effective: [{ via: [], privileged: false, opaque: false }],
        invocation: { argv: line.split(" ") },
      });
    }
  });

  it("know what runs in a container, and in which folder", () => {
    expect(analyzeCommand("docker exec c npx rm x").perhaps.map(({ contained }) => contained)).toEqual([true, true]);
    expect(analyzeCommand("npx rm x").perhaps[0]?.contained).toBe(false);
    const folders = (line: string) => analyzeCommand(line).effective[0]?.movedTo.map(({ display }) => display);
    expect(folders("env -C /a sudo --chdi=b chroot /c ls")).toEqual(["/a", "b", "/c"]);
    expect(folders("env -C /a -C /b ls")).toEqual(["/b"]);
    expect(folders("env ls")).toEqual([]);
  });

  it.each([
    "npx ".repeat(3_900),
    "npx -a ".repeat(1_900),
    `docker run ${"--a b ".repeat(1_900)}`,
    `git ${"-c alias.x=!ls ".repeat(1_900)}`,
    `git ${"-c alias.x=ls x ".repeat(1_300)}`,
    `git ${"-c alias.x='-c alias.y=ls y' x ".repeat(900)}`,
    "git -c alias.x='-c alias.x=x x' x",
    `git ${"-c alias.x='!git -c alias.y=!ls y' ".repeat(1_400)}`,
    `nice -z ${"npx -a ".repeat(1_900)}`,
    `concurrently ${"'npx a' ".repeat(3_900)}`,
    "concurrently 'concurrently a b c d e f g' ".repeat(1_400),
    `${"nodemon -x npx ".repeat(1_200)}`,
    "npx a & ".repeat(1_300),
    `git ${"-c alias.a='!git -c alias.b=!x -c alias.c=!y z' ".repeat(1_300)}`,
    `${"concurrently a b ".repeat(1_200)}`,
  ])("come to an end for a line of thousands of words (%#)", (line) => {
    const start = performance.now();

    expect(analyzeCommand(line).commands.length).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(3_000);
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
