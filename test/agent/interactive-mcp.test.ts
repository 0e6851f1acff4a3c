/**
 * Scripted models in programs that talk, through the official MCP client: none sleeps, and what it was to change is changed.
 */
import { expect, it } from "vitest";
import { atTerminal } from "../e2e/host/person.ts";
import { LIMIT_MS } from "../support/kept.ts";
import { until } from "../support/patience.ts";
import { VISITOR } from "../support/ssh-server.ts";
import { overMcp } from "./support/conversation-loops.ts";
import { expectVisit, noServer, sshLine, tryLoop, visit } from "./support/conversation-suite.ts";

tryLoop("an MCP client", overMcp);

it.skipIf(noServer !== undefined)(
  `visits an unknown host by \`ssh\`, while a person types the password at \`pi-bash attach\`${noServer === undefined ? "" : ` (skipped: ${noServer})`}`,
  { timeout: 3 * LIMIT_MS },
  async () => {
    const { kept, received, talk } = await overMcp();
    const talking = talk(visit(await sshLine()));
    const isThere = async () => (await kept.pi(["sessions"])).stdout.includes("talk/bg_1");
    await until("the task", isThere, LIMIT_MS);
    const person = atTerminal(kept, "attach talk/bg_1");
    await person.sees("password:");
    person.type(`${VISITOR.password}\r`);
    await person.sees("remote>");
    person.type("\x1d");

    expect(await person.end()).toBe(0);
    expectVisit(await talking);
    // Neither is it in what only the client reads: details, events, progress.
    expect(received()).toContain("remote>");
    expect(received()).not.toContain(VISITOR.password);
  },
);
