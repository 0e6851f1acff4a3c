/**
 * The real native package is what the executor's port says.
 */
import * as natives from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import type { NativesPort } from "../src/natives-port.ts";

describe("the native package", () => {
  it("satisfies the port, by its types and by what it answers", async () => {
    const port: NativesPort = natives;
    const session = new port.Shell({ baseEnv: { PATH: process.env["PATH"] ?? "" } });

    const result = await session.run({ command: "echo ok", sink: { maxBytes: 1_000 } });

    expect(result).toMatchObject({
      exitCode: 0,
      cancelled: false,
      timedOut: false,
      sessionReset: false,
      survivors: [],
    });
    expect(result.output).toMatchObject({
      text: "ok\n",
      totalBytes: 3,
      totalLines: 1,
      truncated: false,
      spilled: false,
    });
    expect(await session.liveBackgroundJobCount()).toBe(0);
    expect(port.capabilities()).toMatchObject({ session: expect.any(String), clone: expect.any(Boolean) });
    await session.close();
  });
});
