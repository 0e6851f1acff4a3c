/** `pi-bash run` at a terminal, and into a pipe: who is protected from what a command writes. Runs the built program. */
import { PtySession } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { runProgram } from "./built-program.ts";
import { PROGRAM } from "./console-person.ts";

const SEQUENCES = String.raw`printf 'a\033[31mred\033[0m\033]52;c;aGk=\007\033]0;title\007\033[6nb\n'`;

/** What reaches a terminal. */
async function atTerminal(options: string): Promise<string> {
  const folder = scratchFolder();
  const pty = new PtySession();
  let raw = "";
  await pty.start(
    {
      command: `"$NODE" "$PROGRAM" run ${options} "$COMMAND"`,
      cwd: folder,
      baseEnv: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        NODE: process.execPath,
        PROGRAM,
        COMMAND: SEQUENCES,
      },
      timeoutMs: 50_000,
      cols: 80,
      rows: 24,
    },
    (_error, chunk) => {
      raw += chunk;
    },
  );
  return raw;
}

describe.skipIf(process.platform === "win32")("a terminal", () => {
  it("gets colours, and neither clipboard writes, titles nor queries", async () => {
    expect(await atTerminal("")).toBe("a\x1b[31mred\x1b[0mb\r\n");
  });

  it("gets everything with `--raw`", async () => {
    expect(await atTerminal("--raw")).toBe("a\x1b[31mred\x1b[0m\x1b]52;c;aGk=\x07\x1b]0;title\x07\x1b[6nb\r\n");
  });
});

it("a pipe gets every byte as it is", async () => {
  const { stdout } = await runProgram(["run", SEQUENCES]);

  expect(stdout).toBe("a\x1b[31mred\x1b[0m\x1b]52;c;aGk=\x07\x1b]0;title\x07\x1b[6nb\n");
});
