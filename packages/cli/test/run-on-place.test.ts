/**
 * `pi-bash run --on`: the input, the standard error and the terminal of a command on a place are those of one here. Runs the
 * built program; the place is this machine behind a stream of frames.
 */
import { text } from "node:stream/consumers";
import { PtySession } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { absenceOfPlace } from "../../../test/support/places.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { feed, inShell, runProgram, startProgram } from "./built-program.ts";
import { PROGRAM } from "./console-person.ts";

const ON = ["run", "--on", "command:env"];
const LIMIT_MS = 50_000;
const BIG_BYTES = 64 * 1024 ** 2;
/** Far above what Node itself takes, far below what is passed on. */
const MAX_GROWTH_BYTES = 48 * 1024 ** 2;

describe.skipIf(absenceOfPlace("command") !== undefined)("the streams of a command on a place", () => {
  it("are our input to its end, our output, and our standard error", async () => {
    expect(await runProgram([...ON, "wc -c; echo aside >&2; exit 3"], "12345")).toEqual({
      status: 3,
      stdout: "5\n",
      stderr: "aside\n",
    });
    const { status, stdout } = await runProgram([...ON, "--session", "read a; B=$a", "cat; echo $B"], "first\nrest\n");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "rest\nfirst\n" });
  });

  it.each([
    ["/dev/null", "pi run --on command:env 'wc -c; echo $?' </dev/null", "0\n0\n"],
    ["more than the command reads", "yes | pi run --on command:env 'head -n 2'; echo ${PIPESTATUS[1]}", "y\ny\n0\n"],
    ["a file", "seq 3 >f; pi run --on command:env 'read a; cat; echo $a' <f", "2\n3\n1\n"],
    [
      "a pipe that writes nothing, and the command reads nothing",
      "exec 3< <(exec sleep 300); pi run --on command:env 'echo read nothing' <&3; kill $!",
      "read nothing\n",
    ],
  ])("take an input that is %s", async (_, script, stdout) => {
    expect(await inShell(script)).toMatchObject({ stdout, stderr: "" });
  });

  it("pass 64 MiB of any bytes on as they are read, whole", async () => {
    const { child, ended } = startProgram([...ON, "sha256sum"]);
    const chunk = Buffer.from([...Array(1024 ** 2).keys()].map((at) => (at * 2_654_435_761) >>> 24));
    const output = text(child.stdout);
    const errors = text(child.stderr);
    const digest = await feed(child, chunk, BIG_BYTES);

    expect(await output).toContain(digest);
    expect(await ended).toBe(0);
    // Nor does Node warn of listeners that pile up.
    expect(await errors).toBe("");
  });

  it("do not pile up where the command reads none of its input", async () => {
    const peak = `run --on command:env --env HOST=$$ 'sleep 1; grep VmHWM /proc/$HOST/status'`;
    const idle = await inShell(`exec "${process.execPath}" "${PROGRAM}" ${peak}`);
    const full = await inShell(`exec "${process.execPath}" "${PROGRAM}" ${peak} < <(yes)`);
    const bytes = ({ stdout }: { stdout: string }) => Number(/(\d+) kB/.exec(stdout)?.[1]) * 1024;

    expect(bytes(idle)).toBeGreaterThan(0);
    expect(bytes(full) - bytes(idle)).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it("keep every byte of a standard error apart, also what is written last", async () => {
    const command = "head -c 1000000 /dev/zero | tr '\\0' e >&2; printf done; printf last >&2";
    const { status, stdout, stderr } = await runProgram([...ON, command]);

    expect({ status, stdout, bytes: stderr.length, end: stderr.slice(-5) }).toEqual({
      status: 0,
      stdout: "done",
      bytes: 1_000_004,
      end: "elast",
    });
  });
});

describe.skipIf(absenceOfPlace("command") !== undefined)("a command with `--pty` on a place", () => {
  it("has our terminal's size, type and keys, follows its size, and keeps its status", async () => {
    const folder = scratchFolder();
    const pty = new PtySession();
    const command = `stty size; echo $TERM; echo ready$((1)); IFS= read -rsn1 key; printf 'key %q\\n' "$key"
      until [ "$(stty size)" = "40 100" ]; do sleep 0.05; done; echo resized; exit 7`;
    const steps: [string, () => void][] = [
      ["ready1\r\n", () => pty.write("\x1b")],
      ["key ", () => pty.resize(100, 40)],
    ];
    let raw = "";
    const result = await pty.start(
      {
        command: `"$NODE" "$PROGRAM" run --on command:env --pty "$COMMAND"; echo "status $?"`,
        cwd: folder,
        baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder, NODE: process.execPath, PROGRAM, COMMAND: command },
        env: { TERM: "screen-256color" },
        timeoutMs: LIMIT_MS,
        cols: 90,
        rows: 30,
      },
      (_error, chunk) => {
        raw += chunk;
        const [step] = steps;
        if (step === undefined || !raw.includes(step[0])) return;
        steps.shift();
        step[1]();
      },
    );

    expect(result.timedOut).toBe(false);
    const shown = raw.replaceAll("\r\n", "\n");
    expect(shown).toMatch(/^30 90\nscreen-256color\nready1\n(?:\^\[)?key \$'\\E'\nresized\nstatus 7\n$/);
  });

  it("is typed our input, to its end, where that is not a terminal", async () => {
    const typed = await runProgram([...ON, "--pty", "cat"], "a\nb");

    expect(typed.status).toBe(0);
    expect(typed.stdout.replaceAll("\r\n", "\n")).toContain("a\n");
  });
});
