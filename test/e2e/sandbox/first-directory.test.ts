/** Where a session in a sandbox begins: also where the sandbox has a `/tmp` of its own and the project is below the host's. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities, executeShell, PtySession, type SandboxOptions, Shell } from "@pi-bash/natives";
import { expect, it, onTestFinished, type TestContext } from "vitest";

/** Time for a proof of a sandbox and some sessions' starts. */
const SLOW_MS = 60_000;

const hasSandbox = capabilities().sandbox.length > 0;

function project(): string {
  const folder = mkdtempSync(join(realpathSync("/tmp"), "pi-bash-project-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "file"), "content\n");
  return folder;
}

/** What a run gave, with its output; the test is skipped where this user has no sandbox. */
async function run(test: TestContext, sandbox: SandboxOptions, cwd: string, command: string) {
  const session = new Shell({ sandbox: { allowDegraded: true, ...sandbox }, cwd });
  onTestFinished(() => session.close());
  let output = "";
  const result = await session
    .run({ command }, (_error, chunk) => {
      output += chunk;
    })
    .catch((error: Error & { code?: string }) => {
      if (error.code === "PI_SANDBOX_UNAVAILABLE") test.skip(`this user has none: ${error.message}`);
      throw error;
    });
  return { ...result, output };
}

// A kernel without any is the machine's to have.
it.skipIf(!hasSandbox)(
  "a project below the temporary folder is seen, and read-only where nothing may be written",
  { timeout: SLOW_MS },
  async (test) => {
    const cwd = project();

    const { output, workingDir, sandbox } = await run(
      test,
      { mode: "read-only" },
      cwd,
      "pwd; cat file; ls -d inner; echo x 2>&1 >new || echo refused; chmod 600 file || echo refused; echo y >$TMPDIR/own && cat $TMPDIR/own",
    );

    expect(workingDir).toBe(cwd);
    expect(output).toContain(`${cwd}\ncontent\ninner\n`);
    expect(output.match(/^refused$/gm)).toHaveLength(2);
    expect(output).toMatch(/^y$/m);
    expect(existsSync(join(cwd, "new"))).toBe(false);
    // What is beside it is the host's, and not to be seen in a `/tmp` of the session's own.
    if (sandbox?.backend === "bubblewrap") {
      const beside = await run(test, { mode: "read-only" }, cwd, `cat ${join(project(), "file")}`);
      expect(beside.output).toContain("No such file or directory");
    }
  },
);

it.skipIf(!hasSandbox)("one that may be written is, also from a folder in it", { timeout: SLOW_MS }, async (test) => {
  const cwd = project();
  const sandbox = { mode: "workspace-write", writablePaths: [cwd] } as const;

  const { output } = await run(test, sandbox, join(cwd, "inner"), "pwd; echo x >../new && cat ../new");

  expect(output).toBe(`${cwd}/inner\nx\n`);
  expect(readFileSync(join(cwd, "new"), "utf8")).toBe("x\n");
});

it.skipIf(!hasSandbox)("the temporary folder itself stays the session's own", { timeout: SLOW_MS }, async (test) => {
  const outside = join(project(), "file");

  const { output, sandbox } = await run(
    test,
    { mode: "read-only" },
    "/tmp",
    `pwd; cat ${outside}; echo y >$TMPDIR/own && echo own`,
  );

  expect(output).toMatch(/^\/tmp\n[\s\S]*own\n$/);
  if (sandbox?.backend === "bubblewrap") expect(output).toContain("No such file or directory");
});

it.skipIf(!hasSandbox)(
  "a command of its own session, and a terminal, see theirs, too",
  { timeout: SLOW_MS },
  async (test) => {
    const cwd = project();
    await run(test, { mode: "read-only" }, cwd, "true");
    const sandbox = { mode: "read-only", allowDegraded: true } as const;
    let output = "";
    const listener = (_error: unknown, chunk: string) => {
      output += chunk;
    };

    const shot = await executeShell({ command: "cat file", cwd, sandbox }, listener);
    const terminal = await new PtySession().start({ command: "cat file", cwd, sandbox }, listener);

    expect([shot.exitCode, terminal.exitCode]).toEqual([0, 0]);
    expect(output).toBe("content\ncontent\r\n");
  },
);

it.skipIf(!hasSandbox)(
  "a first directory that is hidden is refused by its name",
  { timeout: SLOW_MS },
  async (test) => {
    const cwd = project();
    await run(test, { mode: "read-only" }, cwd, "true");
    if (!capabilities().sandbox.includes("bubblewrap")) test.skip("nothing is hidden without bubblewrap");

    const hidden = run(test, { mode: "read-only", hiddenPaths: [cwd] }, join(cwd, "inner"), "pwd");

    await expect(hidden).rejects.toMatchObject({ code: "PI_MISSING_CWD", message: expect.stringContaining(cwd) });
  },
);
