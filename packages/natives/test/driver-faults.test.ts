/** What is reported of a bash that dies with the driver. A file of its own: a process knows one answer at a time. */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { capabilities, driverInfo, Shell } from "../src/index.ts";
import { until } from "./waiting.ts";

/** Of a command that prints one number. */
async function numberOf(shell: Shell, command: string): Promise<number> {
  const { output } = await shell.run({ command, sink: {} });
  return Number(output?.text);
}

describe.skipIf(driverInfo().state === "absent")("a bash that dies by SIGSEGV (on Linux, with the driver)", () => {
  it("twice while it runs no command is not kept any more, and the reason is to be had", async () => {
    const shell = join(scratchFolder(), "bash");
    copyFileSync("/bin/bash", shell);
    for (let round = 0; round < 2; round += 1) {
      await using session = new Shell({ shell });
      const pid = await numberOf(session, "/bin/true; echo $$");
      expect(driverInfo()).toMatchObject({ state: "fits" });
      process.kill(pid, "SIGSEGV");
      await until("the shell's end", () => !existsSync(`/proc/${pid}`));
      expect((await session.run({ command: "true" })).exitCode).toBe(0);
    }

    await using session = new Shell({ shell });
    const pids = [await numberOf(session, "echo $$"), await numberOf(session, "echo $$")];

    expect(pids[0]).not.toBe(pids[1]);
    const { state, reason } = driverInfo();
    expect(state).toBe("unfit");
    expect(reason).toContain(`${shell} died of SIGSEGV with the driver, 2 times`);
    expect(capabilities().session).toBe("per-command");
  });
});
