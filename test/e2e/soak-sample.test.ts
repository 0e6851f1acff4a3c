/** A few seconds of what `npm run soak` does at length, with the same code. */
import { describe, it } from "vitest";
import { soakAborts } from "../soak/aborts.ts";
import { soakCommands } from "../soak/commands.ts";
import { soakLargeOutput } from "../soak/large-output.ts";
import { soakSessions } from "../soak/sessions.ts";
import { soakSeed } from "../support/random.ts";

describe("a sample of the soak", () => {
  it("40 aborts at random moments lose no session and leave nothing behind", async () => {
    await soakAborts(40, soakSeed());
  });

  it("100 MiB of output through the tool cost little memory, and every byte is in the artifact", async () => {
    await soakLargeOutput(100 * 1024 ** 2);
  });

  it("400 commands in one session get their answers, and nothing grows", async () => {
    await soakCommands(400);
  });

  it("40 sessions opened and closed leave nothing behind", async () => {
    await soakSessions(40);
  });
});
