/**
 * Variables and arguments that `execve(2)` takes from no one: the error names the option, its size and the remedy, and
 * never the shell.
 */
import { describe, expect, it } from "vitest";
import { executeShell, PtySession, Shell, type ShellError } from "../src/index.ts";

type Variables = Record<string, string>;

const PATH = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };

/** `count` variables of `bytes` each. With any stack limit, a program can be given 6 MiB at most (execve(2)). */
function variables(count: number, bytes: number): Variables {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, "x".repeat(bytes)]));
}

async function errorOf(run: Promise<unknown>): Promise<Pick<ShellError, "code" | "message">> {
  return run.then(
    () => ({ code: "PI_INTERNAL" as const, message: "it ran" }),
    (error: ShellError) => error,
  );
}

async function inSession(baseEnv: Variables): Promise<unknown> {
  await using shell = new Shell({ baseEnv });
  return await shell.run({ command: "true" });
}

const WAYS: [string, (baseEnv: Variables) => Promise<unknown>][] = [
  ["a session", inSession],
  ["a one-shot", (baseEnv) => executeShell({ baseEnv, command: "true" })],
  ["a terminal", (baseEnv) => new PtySession().start({ baseEnv, command: "true" })],
  ["a terminal without a shell", (baseEnv) => new PtySession().startArgv({ baseEnv, application: "true", args: [] })],
];

describe.each(WAYS)("what no program can be given: %s", (_, start) => {
  it.each([
    ["100,000 variables", variables(100_000, 100), /10000\d variables and 107\d{5} bytes/],
    ["10 MB together", variables(100, 100_000), /10\d variables and 1000\d{4} bytes/],
    ["more than a request holds", variables(400, 100_000), /4\d\d variables and 4000\d{4} bytes/],
  ])("a base environment with %s is wrong input, named with its size", async (_title, base, size) => {
    const { code, message } = await errorOf(start({ ...PATH, ...base }));

    expect([code, message]).toEqual([
      "PI_INVALID_ENV",
      expect.stringContaining("option `baseEnv` makes an environment of "),
    ]);
    expect(message).toMatch(size);
    expect(message).toContain("pass large values in files");
  });

  it("one variable over 128 KiB is refused by its name, with its size", async () => {
    const { code, message } = await errorOf(start({ ...PATH, BIG: "x".repeat(131_068) }));

    expect(code).toBe("PI_INVALID_ENV");
    expect(message).toContain("`BIG` has 131072 bytes, more than the 131071 a program can be given");
  });

  it("one variable of just 128 KiB, and 1.5 MB together, are given", async () => {
    await expect(start({ ...PATH, BIG: "x".repeat(131_067) })).resolves.toMatchObject({ exitCode: 0 });
    await expect(start({ ...PATH, ...variables(15, 100_000) })).resolves.toMatchObject({ exitCode: 0 });
  });
});

describe("what a call adds", () => {
  it("variables of a call are refused as the option they are, with their size", async () => {
    const env = variables(30, 100_000);
    for (const run of [
      executeShell({ env, command: "true" }),
      executeShell({ sessionEnv: env, command: "true" }),
      new PtySession().start({ env, command: "true" }),
    ]) {
      const { code, message } = await errorOf(run);

      expect(code).toBe("PI_INVALID_ENV");
      expect(message).toMatch(/option `(env|sessionEnv)` makes an environment of 30 variables and 3000140 bytes/);
    }
  });

  it("on a terminal, a command or arguments that are too large are named as well", async () => {
    const args = Array.from({ length: 100 }, () => "x".repeat(100_000));
    const pty = () => new PtySession();
    const errors = await Promise.all([
      errorOf(pty().start({ command: `: ${"x".repeat(200_000)}` })),
      errorOf(pty().startArgv({ application: "true", args: ["x".repeat(200_000)] })),
      errorOf(pty().startArgv({ application: "true", args })),
    ]);

    expect(errors.map(({ code }) => code)).toEqual(Array(3).fill("PI_INVALID_OPTION"));
    expect(errors[0]?.message).toContain("option `command` has a text of 200002 bytes");
    expect(errors[1]?.message).toContain("option `args` has a text of 200000 bytes");
    expect(errors[2]?.message).toMatch(/option `args` has 10000\d{3} bytes together/);
  });
});
