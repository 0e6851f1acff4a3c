// What has to hold wherever the addon can be loaded, with or without a bash. Run by `npm run package -- --all` in a
// folder where only the packed packages are installed; its last line is `smoke: {…}` for the table of platforms.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  addonInfo,
  capabilities,
  minimizeOutput,
  minimizeOutputAsync,
  OutputSink,
  PtySession,
  Shell,
  ShellError,
  verifyMinimizerRules,
} from "@pi-bash/natives";

const REPEATED = "Downloading the same thing again and again from the same place\n".repeat(200);

/** Each is a sentence and what proves it. */
const CHECKS = {
  "the addon is of the version that is installed": () => {
    const { version } = JSON.parse(readFileSync("node_modules/@pi-bash/natives/package.json", "utf8"));
    assert.equal(addonInfo().version, version);
  },
  "text crosses in both forms, and a character may be split": () => {
    const sink = new OutputSink();
    sink.push("a");
    for (const byte of Buffer.from("→é🦀\n")) sink.push(Uint8Array.of(byte));
    assert.equal(sink.dump().text, "a→é🦀\n");
  },
  "an output that is too long is kept whole in a file": () => {
    const spillPath = join(process.cwd(), `whole-${process.pid}.txt`);
    const sink = new OutputSink({ maxBytes: 1024, spillPath });
    sink.push(REPEATED);
    const summary = sink.dump();
    assert.equal(summary.spilled, true);
    assert.ok(Buffer.byteLength(summary.text) <= 1024);
    assert.equal(readFileSync(spillPath, "utf8"), REPEATED);
  },
  "a repeated output is minimized, on this thread and on another": async () => {
    const here = minimizeOutput("./fetch.sh", REPEATED, 0);
    const there = await minimizeOutputAsync("./fetch.sh", REPEATED, 0);
    assert.ok(here !== null && here.outputBytes < here.inputBytes);
    assert.equal(there?.text, here.text);
  },
  "every rule of the minimizer passes its own tests": () => {
    const { rules, tests } = verifyMinimizerRules();
    assert.ok(rules > 0 && tests >= rules);
  },
  "a wrong option is refused with its code": () => {
    assert.throws(
      () => new Shell({ cwd: 7 }),
      (error) => error instanceof ShellError && error.code === "PI_INVALID_OPTION",
    );
  },
  "terminals are there, or refused with their code, as `capabilities()` says": () => {
    if (capabilities().pty) new PtySession();
    else
      assert.throws(
        () => new PtySession(),
        (error) => error instanceof ShellError && error.code === "PI_PTY_OPEN",
      );
  },
  "a bash that is not there is an error that names it": async () => {
    const shell = join(process.cwd(), "no-bash-here");
    const failure = async () => {
      const session = new Shell({ shell });
      try {
        await session.run({ command: "true" });
      } finally {
        await session.close();
      }
    };
    await assert.rejects(failure(), (error) => error instanceof ShellError && error.message.includes("no-bash-here"));
  },
};

for (const [sentence, prove] of Object.entries(CHECKS)) {
  try {
    await prove();
  } catch (error) {
    throw new Error(`not so: ${sentence}`, { cause: error });
  }
}
const { session, pty } = capabilities();
const { target } = addonInfo();
const report = { node: process.version, target, session, pty, checks: Object.keys(CHECKS).length };
process.stdout.write(`smoke: ${JSON.stringify(report)}\n`);
