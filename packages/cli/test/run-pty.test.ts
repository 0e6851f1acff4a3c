/** `pi-bash run --pty`: a command on a terminal of its own, within ours. Runs the built program on a pseudoterminal. */
import { PtySession } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { runProgram } from "./built-program.ts";
import { PROGRAM } from "./console-person.ts";

const LIMIT_MS = 50_000;
/** What the terminal's own modes are, after the program has gone. */
const MODES = `stty -a | grep -oE -- '-?(icanon|echo|isig)\\b' | sort | tr '\\n' ' '`;

/** Types `keys` as soon as `sign` is seen, one pair after another. Returns everything that was on the screen. */
async function atTerminal(
  words: string,
  command: string,
  steps: readonly (readonly [sign: string, act: (pty: PtySession) => void])[],
): Promise<string> {
  const folder = scratchFolder();
  const pty = new PtySession();
  const left = [...steps];
  let raw = "";
  const result = await pty.start(
    {
      command: `"$NODE" "$PROGRAM" run ${words} "$COMMAND"; echo "status $?"; ${MODES}`,
      cwd: folder,
      baseEnv: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        NODE: process.execPath,
        PROGRAM,
        COMMAND: command,
      },
      timeoutMs: LIMIT_MS,
      cols: 90,
      rows: 30,
    },
    (_error, chunk) => {
      raw += chunk;
      const [step] = left;
      if (step === undefined || !raw.includes(step[0])) return;
      left.shift();
      step[1](pty);
    },
  );
  expect(result.timedOut).toBe(false);
  return raw.replaceAll("\r\n", "\n");
}

describe.skipIf(process.platform === "win32")("a command with `--pty`", () => {
  it("has a terminal of our size and our keys, follows our size, and keeps its status", async () => {
    const command = `stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo ready$((1))
      IFS= read -rsn1 key; printf 'key %q\\n' "$key"; echo size$((1))
      until [ "$(stty size)" = "40 100" ]; do sleep 0.05; done; echo resized; exit 7`;
    const screen = await atTerminal("--pty", command, [
      ["ready1\r\n", (pty) => pty.write("\x1b")],
      ["size1\r\n", (pty) => pty.resize(100, 40)],
    ]);

    // What is typed before `read` has begun is echoed.
    expect(screen).toMatch(/^30 90\nready1\n(?:\^\[)?key \$'\\E'\nsize1\nresized\nstatus 7\necho icanon isig $/);
  });

  it("is sent Ctrl-C as a key, and decides what it means", async () => {
    const command = `trap 'echo caught; exit 5' INT; echo ready; while :; do sleep 0.1; done`;

    expect(await atTerminal("--pty", command, [["ready\r\n", (pty) => pty.write("\x03")]])).toMatch(
      /^ready\n(?:\^C)?caught\nstatus 5\necho icanon isig $/,
    );
  });

  it("is ended at its deadline, and our terminal is as it was", async () => {
    const screen = await atTerminal("--pty --timeout 1", "stty raw -echo; sleep 600", []);

    expect(screen).toBe("pi-bash: the command took longer than 1 s and was ended\nstatus 124\necho icanon isig ");
  });

  it("is typed our input, to its end, where that is no terminal; then the screen has a common size", async () => {
    const typed = await runProgram(["run", "--pty", "stty size; cat"], "a\nb");

    expect(typed).toMatchObject({ status: 0, stderr: "" });
    expect(typed.stdout).toContain("24 80\r\n");
    expect(typed.stdout).toMatch(/a\r\nb/);
  });

  it("is one command, without a session and without JSON", async () => {
    const stderr = async (...words: string[]) => (await runProgram(["run", "--pty", ...words, "true"])).stderr;

    expect(await stderr("--json")).toContain("`--pty` runs one command for a person; leave `--json` out");
    expect(await stderr("--session")).toContain("leave `--session` out");
  });

  it("is under the same rules", async () => {
    const refused = await runProgram(["run", "--pty", "--mode", "plan", "touch made"]);

    expect(refused).toMatchObject({ status: 125, stdout: "" });
    expect(refused.stderr).toContain("`touch`");
  });
});
