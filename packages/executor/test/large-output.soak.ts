/**
 * Gigabytes of output: the host's memory stays where it was, and the file has every byte. Run by `--mode soak`.
 */

import { describe, expect, it } from "vitest";
import { digestOf, digestOfRepeated } from "../../../test/support/digest.ts";
import { real } from "./support/real.ts";

const GIBIBYTES = 5;
const MEBIBYTE = 1024 ** 2;

describe("five gibibytes of output", () => {
  it("cost less than 64 MiB of memory and are whole in the artifact", async () => {
    const { executor } = real();
    await executor.executeBash("true");
    const idle = process.memoryUsage.rss();
    let peak = idle;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);
    const bytes = GIBIBYTES * 1024 ** 3;

    const result = await executor.executeBash(`yes 0123456789abcdef | head -c ${bytes}`, { timeoutMs: 3_600_000 });
    clearInterval(watch);

    expect(result).toMatchObject({ exitCode: 0, truncated: true, totalBytes: bytes });
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(51_200);
    expect(peak - idle).toBeLessThan(64 * MEBIBYTE);
    const { path = "" } = (await executor.artifacts.get(result.artifactId ?? "")) ?? {};
    expect(await digestOf(path)).toBe(digestOfRepeated("0123456789abcdef\n", bytes));
  });
});
