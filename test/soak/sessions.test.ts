/** 2,000 sessions opened and closed. */
import { it } from "vitest";
import { soakSessions } from "./sessions.ts";

it("2,000 sessions opened and closed leave nothing behind", async () => {
  await soakSessions(2_000);
});
