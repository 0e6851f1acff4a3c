/**
 * Theme B of the failure cases: pipes, descriptors, standard input, and children that outlive their command.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import { until, within } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { one, openSession } from "../../support/session.ts";
import { newTag } from "../../support/tag.ts";

describe("background children", () => {
  it("BG-01 do not hold a run, are listed, and end with the session", async () => {
    const tag = newTag();
    const { shell, run } = openSession();

    const result = await run("sleep 60 & echo done", { env: tag.env });

    expect(result).toMatchObject({ exitCode: 0, text: "done\n" });
    expect(result.survivors.map(({ command }) => command)).toContain("sleep 60");
    await shell.close();
    await tag.gone();
  });

  it("BG-04 have what they print late kept, and not shown as the next command's", async () => {
    const { shell, run } = openSession();

    const first = await run("sh -c '(sleep 0.25; echo TAIL) & exit 0'");
    const next = await run("sleep 0.5; echo next");

    expect(first.exitCode).toBe(0);
    // Listed, unless the machine stood still for so long that the child had ended.
    if (first.text === "") expect(first.survivors.length).toBeGreaterThan(0);
    expect(next.text).toBe("next\n");
    await until("the late output", () => first.text + shell.lateOutput() === "TAIL\n");
  });

  it("BG-04 have what they print late added to their own command's file", async () => {
    const spillPath = join(scratchFolder(), "output");
    const { run } = openSession();

    const result = await run("echo HEAD; sh -c '(sleep 0.25; echo TAIL) & exit 0'", {
      sink: { maxBytes: 1, spillPath },
    });

    expect(result.exitCode).toBe(0);
    await until("the late output", () => readFileSync(spillPath, "utf8") === "HEAD\nTAIL\n");
  });

  it("BG-04 that hold the pipe do not hold the run", async () => {
    const { run } = openSession();

    const result = await run("sh -c '(sleep 300) & exit 0'");

    expect(result).toMatchObject({ exitCode: 0, text: "" });
  });

  it("BG-16 of a commit hook do not cost the hook's own lines", async () => {
    const folder = scratchFolder();
    const hook = join(folder, ".git", "hooks", "pre-commit");
    const env = {
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.com",
    };
    await one("git init -q . && echo one > f && git add f && git commit -qm first && echo two > f", {
      cwd: folder,
      env,
    });
    mkdirSync(join(folder, ".git", "hooks"), { recursive: true });
    writeFileSync(hook, "#!/bin/sh\n(sleep 0.3; echo late) &\nfor i in $(seq 40); do echo hook $i; done\n");
    chmodSync(hook, 0o755);

    const result = await one("git commit -am x", { cwd: folder, env });

    expect(result.exitCode).toBe(0);
    const lines = result.text.split("\n").filter((line) => line.startsWith("hook "));
    expect(lines).toEqual(Array.from({ length: 40 }, (_, index) => `hook ${index + 1}`));
  });

  it("BG-17 of a command under `timeout` do not hold the run", async () => {
    const result = await one("timeout 2 bash -c 'sleep 300 & sleep 300'; echo rc=$?");

    expect(result).toMatchObject({ exitCode: 0, text: "rc=124\n" });
    expect(result.wallTimeMs).toBeGreaterThan(1_900);
  });
});

describe("output", () => {
  it("BG-06 that a command closes is not its end", async () => {
    const result = await one("exec >&- 2>&-; sleep 1; exit 3");

    expect(result).toMatchObject({ exitCode: 3, text: "" });
    expect(result.wallTimeMs).toBeGreaterThan(900);
  });

  it("BG-09 of both streams comes in the order of writing", async () => {
    const result = await one("for i in $(seq 200); do echo o$i; echo e$i >&2; done");

    const expected = Array.from({ length: 200 }, (_, index) => `o${index + 1}\ne${index + 1}\n`).join("");
    expect(result.text).toBe(expected);
  });

  it("of `node | tee` comes whole, though Node makes the standard error it was given non-blocking", async () => {
    const script = 'process.stderr.write("."); process.stdout.write("x".repeat(3e6)); setTimeout(() => {}, 100)';

    const result = await one(`"$NODE" -e '${script}' | tee f; echo "$(wc -c <f) \${PIPESTATUS[*]}"`, {
      cwd: scratchFolder(),
      env: { NODE: process.execPath },
      sink: { maxBytes: 51_200 },
    });

    expect(result.text.slice(-20)).toMatch(/x3000000 0 0\n$/);
    expect(result.totalBytes).toBe(3_000_000 + ".3000000 0 0\n".length);
  });

  it("BG-12 past the window does not close the pipe on the producer", async () => {
    const result = await one("seq 1 3000000; echo rc=$? >&2", { sink: { maxBytes: 51_200 } });

    expect(result).toMatchObject({ exitCode: 0, truncated: true, totalBytes: 22_888_896 + "rc=0\n".length });
    expect(result.text.endsWith("3000000\nrc=0\n")).toBe(true);
  });
});

describe("input", () => {
  it("BG-07 is at its end for every reader", async () => {
    const result = await one("cat; read x; echo rc=$?; python3 -c 'input()' 2>&1 | tail -1; cat </dev/stdin");

    expect(result).toMatchObject({ exitCode: 0, text: "rc=1\nEOFError: EOF when reading a line\n" });
  });

  it("BG-07 is at its end for background readers", async () => {
    const result = await one("cat & wait $!; echo rc=$?");

    expect(result).toMatchObject({ exitCode: 0, text: "rc=0\n" });
  });
});

describe("what a command inherits", () => {
  it.each([
    ["under nohup", ["nohup"]],
    [
      "with every signal blocked and ignored",
      [
        "python3",
        "-c",
        [
          "import os, signal, sys",
          "for number in range(1, 32):",
          "    if number not in (9, 19): signal.signal(number, signal.SIG_IGN)",
          "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
          "os.execvp(sys.argv[1], sys.argv[1:])",
        ].join("\n"),
      ],
    ],
  ])("BG-11 is no signal mask and no ignored signal of a host %s", async (_how, wrapper) => {
    const run = { command: "grep -E 'Sig(Blk|Ign)' /proc/self/status", sink: {} };

    const host = startHost("run-commands", { args: ["one", JSON.stringify([run])], wrapper });
    await host.ended();

    const [report] = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];
    expect(report).toMatchObject({
      output: { text: "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" },
    });
  });

  it("BG-13 is no descriptor of the host or of another session", async () => {
    const controller = new AbortController();
    const others = Array.from({ length: 49 }, () => one("sleep 300", { signal: controller.signal }));

    try {
      const result = await one("echo hi; ls -1 /proc/self/fd | wc -l");

      // 0, 1, 2, and the folder that `ls` reads.
      expect(result).toMatchObject({ exitCode: 0, text: "hi\n4\n" });
    } finally {
      controller.abort();
      await within("the other sessions", Promise.all(others));
    }
  });

  it("BG-14 leaves process substitution and coprocesses working", async () => {
    const command = [
      "diff <(seq 3) <(seq 4)",
      "echo rc=$?",
      "seq 5 | tee >(wc -l) >/dev/null",
      "coproc cat",
      "echo hi >&${COPROC[1]}",
      "read -u ${COPROC[0]} z",
      "echo $z",
    ].join("; ");

    const result = await one(command);

    expect(result.exitCode).toBe(0);
    expect(result.text).toMatch(/^3a4\n> 4\nrc=1\n/);
    // `wc` is not waited for by bash, so its line may come after `hi`, or after the end.
    expect(result.text.split("\n")).toContain("hi");
  });
});
