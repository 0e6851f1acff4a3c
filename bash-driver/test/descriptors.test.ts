/**
 * Which descriptors a stop leaves in the shell: what a command opened by `exec` stays, what bash opened for itself goes.
 */
import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { pick, seededRandom } from "../../test/support/random.ts";
import { scratchFolder } from "../../test/support/scratch.ts";
import { build, canBuild, type DriverHost, startHost } from "./support/driver-host.ts";

/** Commands that have descriptors of bash's own open at any moment, and none by `exec`. */
const BORROWING: readonly string[] = [
  "x=$(sleep 100)",
  "cat <(sleep 100)",
  "cat <(cat <(sleep 100)) >(sleep 100)",
  "read x < <(sleep 100)",
  "x=$(cat <(sleep 100))",
  "echo x > >(sleep 100); sleep 100",
  "{ sleep 100; } > >(cat)",
  "sleep 100 | cat | cat",
  "set -m; cat <(sleep 100) | cat",
  "coproc cat; read x <&${COPROC[0]}",
  "coproc sleep 100; wait",
  "while :; do coproc { :; }; wait; done 2>/dev/null",
  "for i in {1..3000}; do coproc cat; done 2>/dev/null",
  "read x 7</etc/passwd <$(sleep 100)",
  "read x 7</etc/passwd 8<&7 <$(sleep 100)",
  "f() { read x; }; f 9</dev/null < <(sleep 100)",
  "f() { local a; cat <(sleep 100) >(cat); }; f",
  "{ { sleep 100; } 5>&1 6</etc/passwd; } 7>&1",
  "eval 'cat <(sleep 100)' 5</etc/passwd",
  "while read x; do sleep 100; done </etc/passwd",
  "read x <<E\n$(sleep 100)\nE\n",
  "read x <<<$(sleep 100)",
  ". <(sleep 100)",
  ". /dev/stdin < <(sleep 100)",
  "[[ -p p ]] || mkfifo p; . ./p",
  "[[ -p q ]] || mkfifo q; sleep 100 >q & . ./q",
  "mapfile a < <(yes)",
  "shopt -s lastpipe; echo a | while :; do :; done",
  "while :; do x=$(:); done",
  "while :; do cat <(:) >/dev/null; done",
  "while :; do : | :; done",
  "while :; do . <(echo :); done",
  "while :; do { :; } 8>/dev/null; : 9>/dev/null; done",
];

/** The shell's own, below the numbers that a test may have: number and file. */
const LIST = 'for i in /proc/$$/fd/*; do [[ -L $i && ${i##*/} -gt 2 ]] && echo "${i##*/} $(readlink "$i")"; done';

describe.skipIf(!canBuild)(`a stop${canBuild ? "" : " (Linux and a C compiler needed)"}`, () => {
  const built = canBuild ? build() : "";
  const start = () => startHost(built, scratchFolder());
  const listed = async (host: DriverHost) => (await host.run(`set +m; ${LIST}`)).output;

  it.each(BORROWING)("leaves no descriptor of `%s`, at 25 random moments", async (text) => {
    const random = seededRandom(text.length);
    const host = await start();
    const before = await listed(host);
    for (let round = 0; round < 25; round += 1) {
      expect((await host.stop(text, Math.floor(random() * 6000))).ending).toBe("stopped");
    }

    expect(await listed(host)).toBe(before);
  });

  it("leaves none of 3,000 orders that it overtakes, while others have the processors", async () => {
    const host = await start();
    for (let others = 0; others < 3; others += 1) {
      const busy = spawn("yes", { stdio: "ignore" });
      onTestFinished(() => void busy.kill("SIGKILL"));
    }
    const before = await listed(host);
    for (let round = 0; round < 3_000; round += 1) await host.stop("sleep 100", 0);

    expect(await listed(host)).toBe(before);
  });

  it("leaves none of 300 such commands in turn, beside one that was opened on purpose", async () => {
    const random = seededRandom(7);
    const host = await start();
    await host.run("exec 5>&1 6</etc/passwd 9<<<text");
    const before = await listed(host);
    for (let round = 0; round < 300; round += 1) {
      await host.stop(pick(BORROWING, random), Math.floor(random() * 4000));
    }

    expect(await listed(host)).toBe(before);
  });

  it.each([
    ["exec 7>f; sleep 100", "7 f"],
    ["exec 7>f; x=$(sleep 100)", "7 f"],
    ["exec 3</etc/passwd; cat <(sleep 100)", "3 passwd"],
    ["exec {v}>f; . <(sleep 100)", "10 f"],
    ["f() { exec 8>f; sleep 100; }; f", "8 f"],
    ["exec 7>f; { { sleep 100; } 7>&1; } 7</etc/passwd", "7 f"],
    ["exec 3< <(sleep 100); sleep 100", "3 pipe"],
    ["exec 4< <(sleep 100); x=$(sleep 100)", "4 pipe"],
    ["exec 3> >(sleep 100); . <(sleep 100)", "3 pipe"],
    ["exec 3<<<text; . <(sleep 100)", "3 pipe"],
    ["exec 3< <(sleep 100); . <(sleep 100)", "3 pipe"],
    ["[[ -p r ]] || mkfifo r; exec 3<>r 4<r; cat <(sleep 100)", "3 r,4 r"],
    ["exec 100</dev/null; trap 'exec 100</dev/null' EXIT; sleep 100", "100 null"],
    ["exec 100</dev/null; trap /bin/true EXIT; x=$(sleep 100)", "100 null"],
    ["[[ -p t ]] || mkfifo t; exec 100</dev/null; trap 'exec 100</dev/null' EXIT; sleep 100 >t & . ./t", "100 null"],
    ["sleep 0 & exec 6</dev/null; while ((1)); do x=$((x + 1)); done", "6 null"],
    ["echo 'exec 9>f; while ((1)); do x=1; done' >s; . ./s", "9 f"],
    ["echo 'while ((1)); do x=1; done' >s; exec 3< <(sleep 100); . ./s", "3 pipe"],
  ])("keeps what `%s` opened by exec", async (text, expected) => {
    const host = await start();
    const before = await listed(host);
    const stopped = await host.stop(text, 60_000);

    const added = (await listed(host)).split("\n").filter((line) => line !== "" && !before.includes(line));
    const brief = added.map((line) => line.replace(/ .*\//, " ").replace(/pipe:.*|here-document.*|sh-thd.*/, "pipe"));
    expect({ ending: stopped.ending, kept: brief.join(",") }).toEqual({ ending: "stopped", kept: expected });
  });

  it("keeps the text of a here-document that `exec` opened, and an older coprocess", async () => {
    const host = await start();
    await host.run("exec 3<<<text; coproc cat");
    await host.run("echo to cat >&${COPROC[1]}");
    for (let round = 0; round < 10; round += 1) await host.stop("exec 4<<<more; x=$(cat <(sleep 100))", round * 500);

    const later = await host.run("cat <&3; read -t 5 line <&${COPROC[0]}; echo $line; kill $COPROC_PID");
    expect(later.output).toMatch(/^text\n/);
  });

  it("leaves a job's end known that it meets in `wait`", async () => {
    const random = seededRandom(3);
    const host = await start();
    for (let round = 0; round < 150; round += 1) {
      await host.stop("while :; do { :; } & wait; done", Math.floor(random() * 4000));
    }

    // Those that ended before the stop `jobs` says once, as in a script.
    const { output } = await host.run("jobs; wait; echo waited");
    expect(output.replace(/^\[\d\][ +-]+Done .*\n/gm, "")).toBe("waited\n");
  });

  it("does so below a limit of descriptors, too", async () => {
    const host = await start();
    await host.run("ulimit -n 40");
    const before = await listed(host);
    for (let round = 0; round < 10; round += 1) {
      await host.stop("read x 7</etc/passwd <$(sleep 100)", round * 500);
      await host.stop(". <(sleep 100)", round * 500);
    }

    expect(await listed(host)).toBe(before);
  });

  it.each([
    ["{3..65} 100", "trap /bin/true EXIT; x=$(sleep 100)"],
    ["{3..66} 100", "trap 'exec 20<&-; exec 20</dev/null; /bin/true' TERM; sleep 100"],
    ["100", "trap 'exec 100</dev/null' TERM; sleep 100"],
  ])("keeps those of an earlier order at %s, whose traps run in the stop", async (numbers, text) => {
    const host = await start();
    await host.run(`for n in ${numbers}; do eval "exec $n</dev/null"; done`);
    const before = await listed(host);
    expect((await host.stop(text, 60_000)).ending).toBe("stopped");

    expect(await listed(host)).toBe(before);
  });

  it("leaves none above the numbers that bash looks for room in, where those are taken", async () => {
    const host = await start();
    await host.run('for n in {3..66} 100 255 300; do eval "exec $n</dev/null"; done');
    const before = await listed(host);
    for (let round = 0; round < 10; round += 1) {
      for (const text of [
        "x=$(sleep 100)",
        "cat <(sleep 100)",
        "for i in {1..3000}; do coproc cat; done 2>/dev/null",
      ]) {
        await host.stop(text, round * 500);
      }
    }

    expect(await listed(host)).toBe(before);
  });

  it("undoes the first of two redirections when an error ends the order in the second", async () => {
    const host = await start();
    const before = await listed(host);
    for (let round = 0; round < 5; round += 1) await host.run("read x 7</etc/passwd <${nope?}");

    expect(await listed(host)).toBe(before);
  });
});
