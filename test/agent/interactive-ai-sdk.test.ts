/**
 * Scripted models in programs that talk, through the AI SDK's own loop: none sleeps, and what it was to change is changed.
 */
import { expect, it } from "vitest";
import { LIMIT_MS } from "../support/kept.ts";
import { VISITOR } from "../support/ssh-server.ts";
import { overAiSdk } from "./support/conversation-loops.ts";
import { expectVisit, noServer, sshLine, tryLoop, visit } from "./support/conversation-suite.ts";

tryLoop("the AI SDK", () => overAiSdk());

it.skipIf(noServer !== undefined)(
  `visits an unknown host by \`ssh\`, whose password the host's person types${noServer === undefined ? "" : ` (skipped: ${noServer})`}`,
  { timeout: 3 * LIMIT_MS },
  async () => {
    const typed: Promise<boolean>[] = [];
    const { talk } = await overAiSdk(({ prompt }, type) => {
      if (prompt.includes("password")) typed.push(type(VISITOR.password));
    });

    expectVisit(await talk(visit(await sshLine())));
    expect(await Promise.all(typed)).toEqual([true]);
  },
);
