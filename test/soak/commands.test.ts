/** 20,000 commands in one session. */
import { it } from "vitest";
import { soakCommands } from "./commands.ts";

it("20,000 commands in one session get their answers, and nothing grows", async () => {
  await soakCommands(20_000);
});
