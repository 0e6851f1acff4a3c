/** Many runs at once: each gets its own output, all of it. */
import { describe, expect, it } from "vitest";
import { executeShell, Shell } from "../src/index.ts";

describe("at the same time", () => {
  it("CC-02 fifty one-shots each get their own thousand lines", async () => {
    const runs = Array.from({ length: 50 }, async (_, id) => {
      let text = "";
      const result = await executeShell({ command: `for i in $(seq 1000); do echo ID${id}; done` }, (_error, chunk) => {
        text += chunk;
      });
      return { id, text, exitCode: result.exitCode };
    });

    for (const { id, text, exitCode } of await Promise.all(runs)) {
      expect(exitCode).toBe(0);
      expect(text).toBe(`ID${id}\n`.repeat(1000));
    }
  });

  it("fifty sessions keep fifty states", async () => {
    const shells = Array.from({ length: 50 }, () => new Shell());
    try {
      await Promise.all(shells.map((shell, id) => shell.run({ command: `X=${id}` })));
      const results = await Promise.all(shells.map((shell) => shell.run({ command: "echo $X", sink: {} })));

      expect(results.map(({ output }) => output?.text)).toEqual(shells.map((_, id) => `${id}\n`));
    } finally {
      await Promise.all(shells.map((shell) => shell.close()));
    }
  });

  it("CC-01 runs of one session take turns, each seeing what the one before it did", async () => {
    await using shell = new Shell();

    const runs = Array.from({ length: 20 }, () => shell.run({ command: "N=$((N + 1)); echo $N", sink: {} }));
    const numbers = (await Promise.all(runs)).map(({ output }) => Number(output?.text));

    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, id) => id + 1));
  });

  it("keep a slow reader from holding up the others", async () => {
    const never = new Promise<void>(() => undefined);
    const controller = new AbortController();
    const slow = executeShell({ command: "yes", signal: controller.signal }, () => never);

    const quick = await executeShell({ command: "echo ok", sink: {} });
    controller.abort();

    expect(quick.output?.text).toBe("ok\n");
    expect((await slow).cancelled).toBe(true);
  });
});
