/**
 * Many sessions opened and closed: no descriptor, thread, process or file of theirs remains.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Shell } from "@pi-bash/natives";
import { expect } from "vitest";
import { until } from "../support/patience.ts";
import { runIn } from "../support/session.ts";
import { newTag } from "../support/tag.ts";
import { inLanes } from "./lanes.ts";
import { backAt, settledCount } from "./process-count.ts";

/** Sessions side by side. */
const LANES = 8;

/** Growth of the host that is none, in bytes. */
const HOST_GROWTH = 64 * 2 ** 20;

/** Opens and closes `count` sessions, each with a few commands, some with what they leave running. */
export async function soakSessions(count: number): Promise<void> {
  const tag = newTag();
  const folders = new Set<string>();
  await inLanes(LANES * 2, LANES, (index) => useOnce(index, tag.env, folders));
  const before = await settledCount();

  await inLanes(count, LANES, (index) => useOnce(index, tag.env, folders));

  await tag.gone();
  await backAt(before);
  expect(process.memoryUsage.rss() - before.residentBytes).toBeLessThan(HOST_GROWTH);
  await until("the sessions' folders to be gone", () => ![...folders].some((folder) => existsSync(folder)));
}

async function useOnce(index: number, env: Record<string, string>, folders: Set<string>): Promise<void> {
  const shell = new Shell({ sessionEnv: env });
  try {
    expect(await runIn(shell, `X=${index}; echo $X`)).toMatchObject({ exitCode: 0, text: `${index}\n` });
    // Where the output goes is a file in the session's own folder.
    const { text } = await runIn(shell, "readlink /proc/$$/fd/1");
    if (text.startsWith("/")) folders.add(dirname(text.trim()));
    if (index % 3 === 0) await runIn(shell, "sleep 300 & setsid sleep 300 & true");
    if (index % 5 === 0) await runIn(shell, "exit 3");
    // Cancelled by the close, or refused by it where it had not begun.
    if (index % 7 === 0) shell.run({ command: "sleep 300" }).catch(expectClosed);
    expect(await (index % 7 === 0 ? Promise.resolve({ text: `${index}\n` }) : runIn(shell, "echo $X"))).toMatchObject({
      text: `${index}\n`,
    });
  } finally {
    await shell.close();
  }
}

function expectClosed(error: unknown): void {
  expect(error).toMatchObject({ code: "PI_SHELL_CLOSED" });
}
