/**
 * Stops: at random moments of commands that would not end, whatever they ignore; state and shell are kept.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pick, seededRandom } from "../../test/support/random.ts";
import { scratchFolder } from "../../test/support/scratch.ts";
import { type Answer, BASH, build, canBuild, startHost } from "./support/driver-host.ts";

const ENDLESS: readonly string[] = [
  "while :; do :; done",
  "sleep 100",
  "f() { local a=5; while :; do x=$(echo hi); done; }; f",
  "for ((;;)); do echo x >/dev/null; done",
  "sleep 50 & wait",
  "cat <(sleep 10)",
  "x=$(sleep 10)",
  "while :; do ( : ); done",
  "sleep 10 | cat",
  "read x < <(sleep 10)",
  'trap "" INT TERM HUP QUIT; while :; do :; done',
  'for i in {1..64}; do trap "" $i; done 2>/dev/null; while :; do :; done',
  'for i in {1..64}; do trap "echo t" $i; done 2>/dev/null; sleep 10',
  "[[ -p pipe ]] || mkfifo pipe; read x <pipe",
  "while read l; do :; done < <(yes)",
  'eval "while :; do /bin/true; done"',
  'trap "while :; do :; done" ERR; false',
  "set -m; sleep 10",
  "mapfile -t a < <(yes)",
];

describe.skipIf(!canBuild)(`a stop${canBuild ? "" : " (Linux and a C compiler needed)"}`, () => {
  const built = canBuild ? build() : "";

  /** Stops a loop that has set these traps: on a busy machine, later. */
  async function stopOnceSet(traps: string): Promise<Answer> {
    const folder = scratchFolder();
    const host = await startHost(built, folder);
    for (const afterMicros of [20_000, 200_000, 2_000_000]) {
      const answer = await host.stop(`${traps}; : >set; while :; do :; done; echo no`, afterMicros);
      if (existsSync(join(folder, "set"))) return answer;
    }
    throw new Error("the traps were never set");
  }

  it.each([1, 2])("at 200 random moments of endless commands keeps the shell and its state, seed %i", async (seed) => {
    const random = seededRandom(seed);
    const host = await startHost(built, scratchFolder());
    await host.run('arr=(1 2 3); keep() { echo "$v ${arr[2]} ${#FUNCNAME[@]} $BASH_SUBSHELL"; }');

    for (let round = 0; round < 200; round += 1) {
      const text = pick(ENDLESS, random);
      const stopped = await host.stop(text, Math.floor(random() * 5000));
      const rest = await host.run("trap - ERR; set +m; for i in {1..64}; do trap - $i; done 2>/dev/null");
      const kept = await host.run(`v=${round}; keep`);

      // What was killed below the shell is not named in a later order's output.
      const later = rest.output + kept.output;
      expect({ text, ending: stopped.ending, rest: rest.ending, later }).toEqual({
        text,
        ending: "stopped",
        rest: "complete",
        later: `${round} 3 2 0\n`,
      });
    }
  });

  it.each([
    'trap "" INT TERM; sleep 100',
    '(trap "" INT TERM; sleep 100); echo no',
    'trap "" INT TERM; sleep 100 | cat',
    'trap "" INT TERM; sleep 100 & sleep 100',
    'trap "" INT TERM; cat <(sleep 100)',
    'trap "" INT TERM; f() { sleep 100; } 2>/dev/null; f',
    'trap "" INT TERM; { sleep 100; } 2>&1',
    'trap "" INT TERM; exec 2>&1; sleep 100',
    'ulimit -Sn 64; trap "" INT TERM; sleep 100',
    'ulimit -Sn 16; trap "" INT TERM; sleep 100',
  ])("leaves out what bash says of processes that were killed for it, and nothing else: %s", async (text) => {
    const host = await startHost(built, scratchFolder());
    await host.run("true");

    const stopped = await host.stop(`echo before >&2; ${text}`, 200_000);
    const next = await host.run("ls /nowhere-at-all; echo after >&2; nothing-of-this-name");

    expect(stopped).toMatchObject({ ending: "stopped", output: "before\n" });
    expect(next.output).toMatch(/^ls: .*nowhere-at-all.*\nafter\n.*nothing-of-this-name: command not found\n$/s);
  });

  it("has a trap on SIGTERM heard after it, and what a command did to its descriptor 2", async () => {
    const host = await startHost(built, scratchFolder());
    const cleaned = await host.stop("trap 'echo cleaned >&2' TERM; (trap '' INT TERM; sleep 100)", 200_000);
    const folder = scratchFolder();
    const moved = await host.stop(`trap - TERM; exec 2>${folder}/errors; (trap '' INT TERM; sleep 100)`, 200_000);
    await host.run(`exec 2>&1`);
    const open = await host.run("ls -l /proc/$$/fd | grep -c pi-mute");

    expect([cleaned.output, moved.output]).toEqual(["cleaned\n", ""]);
    expect(readFileSync(join(folder, "errors"), "utf8")).toBe("");
    expect(open.output).toBe("0\n");
  });

  it("does not reach an order that came after the one it names", async () => {
    const host = await startHost(built, scratchFolder());

    expect((await host.stop("true", 1_000_000)).ending).toBe("complete");
    expect((await host.run("for i in {1..20000}; do :; done; echo whole")).output).toBe("whole\n");
  });

  it("runs the command's EXIT trap, and nothing after the stop", async () => {
    const answer = await stopOnceSet("trap 'echo cleaned' EXIT");

    expect(answer).toMatchObject({ ending: "stopped", output: "cleaned\n" });
  });

  it("runs the command's trap on TERM before the one on EXIT", async () => {
    const answer = await stopOnceSet("trap 'echo term' TERM; trap 'echo exit' EXIT");

    expect(answer).toMatchObject({ ending: "stopped", output: "term\nexit\n" });
  });

  it.each(["while :; do /bin/true; done", "x=$(sleep 10)", "sleep 10", "trap : INT; sleep 10"])(
    "leaves the signals of the shell as they are after `%s`",
    async (text) => {
      const host = await startHost(built, scratchFolder());
      // As a whole: `read` seeks back after each line, and the file is made again then, with other lengths.
      const shown =
        'trap - INT; mapfile -t all </proc/$$/status; for line in "${all[@]}"; do [[ $line == Sig[BIC]* ]] && echo $line; done';
      const before = await host.run(shown);
      for (let round = 0; round < 30; round += 1) await host.stop(text, round * 250);

      expect((await host.run(shown)).output).toBe(before.output);
    },
  );

  it.each(["", "trap : EXIT; "])("keeps a shell that writes to what is killed below it, after `%s`", async (before) => {
    const host = await startHost(built, scratchFolder());
    const { output } = await host.run("echo $BASHPID");
    for (let round = 0; round < 40; round += 1) {
      const text = `${before}{ while :; do printf '%65536s' x; done; } > >(sleep 100)`;
      expect((await host.stop(text, round * 200)).ending).toBe("stopped");
    }

    expect((await host.run("echo $BASHPID")).output).toBe(output);
  });

  it("keeps a shell that writes to what is killed below it, as it has just set its first trap on EXIT", async () => {
    const text = "trap : EXIT; { while :; do printf '%65536s' x; done; } > >(sleep 100)";
    for (let round = 0; round < 40; round += 1) {
      const host = await startHost(built, scratchFolder());
      // The trap may not be set yet at the first of them.
      for (const after of [0, 200, 400]) expect((await host.stop(text, after)).ending).toBe("stopped");
    }
  });

  it.each(["", "trap 'echo bye >&2' EXIT; "])(
    "leaves SIGPIPE the end of a shell that is not stopped, after `%s`",
    async (before) => {
      const host = await startHost(built, scratchFolder());
      const text = "{ for ((;;)); do echo line; done; } > >(:)";
      const bash = spawnSync(BASH, ["-c", before + text], { encoding: "utf8" });

      const { ending, output } = await host.run(before + text);

      // Before it: what the pipe did not take (musl), or a write error, in plain bash as well.
      const last = (text: string) => /(?:bye\n)?$/.exec(text)?.[0];
      expect({ ending, last: last(output), signal: "SIGPIPE" }).toEqual({
        ending: "gone",
        last: last(bash.stderr),
        signal: bash.signal,
      });
      const other = await startHost(built, scratchFolder());
      expect(
        (await other.run(`(${text}); echo $?; trap '' PIPE; echo ok | cat; trap - PIPE; (${text}); echo $?`)).output,
      ).toBe("141\nok\n141\n");
    },
  );

  it("leaves a `kill -32` of the command's own without effect", async () => {
    const host = await startHost(built, scratchFolder());

    expect((await host.run("kill -32 $$; echo here")).output).toBe("here\n");
  });
});
