/**
 * `pi-bash tool`: one call of the bash tool as an agent makes it, from JSON or from flags.
 *
 * For trying what a model would read, and for hosts in other languages. The answer is text, or with `--json` one object
 * with `content`, `details` and `isError`, thrown errors included. The exit status is the command's own.
 */
import { text } from "node:stream/consumers";
import type { BashToolResult } from "@pi-bash/contract";
import { readJson } from "@pi-bash/contract/internal";
import { createBashTool } from "@pi-bash/tool";
import { callOutcome, NO_RESULT_STATUS } from "../call-outcome.ts";
import { callFromHost } from "../host/single-call.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { policyOf } from "../policy-option.ts";
import { openSeat } from "../seat.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import {
  atPlace,
  type KeptArguments,
  parseToolArguments,
  type ToolArguments,
  withLastingFolder,
} from "../tool-arguments.ts";
import { UsageError } from "../usage.ts";

/** Runs the words after `tool` and resolves with the exit status. */
export async function tool(words: readonly string[]): Promise<number> {
  const asked = parseToolArguments(words);
  if (asked.params === undefined) tellWhatIsRead("the parameters of a call as JSON");
  const params = asked.params ?? parseCall(await text(process.stdin));
  if (asked.kept !== undefined) return callInHost(asked, asked.kept, params);
  const policy = await policyOf(asked);
  const interrupt = listenForInterrupt(() => undefined);
  const seat = await openSeat({ ...asked, cwd: asked.on === undefined ? process.cwd() : ".", requireSessions: false });
  const bash = createBashTool({
    cwd: seat.cwd,
    ...seat.at,
    settings: asked.settings,
    executor: seat.executor,
    toolNames: ["bash"],
    policy,
    policyContext: () => (asked.mode === undefined ? {} : { mode: asked.mode }),
  });
  try {
    const outcome = await callOutcome(() => bash.execute("cli", params, interrupt.signal));
    print(outcome.answer, asked.json);
    return outcome.hasResult ? outcome.status : (interrupt.status ?? outcome.status);
  } finally {
    await seat.dispose();
    interrupt.release();
  }
}

/** Makes the call in a session of the host, beside the client that is there. */
async function callInHost(asked: ToolArguments, kept: KeptArguments, params: unknown): Promise<number> {
  const cwd = asked.on === undefined ? process.cwd() : ".";
  const outcome = await callFromHost(
    { ...asked, settings: withLastingFolder(asked), cwd, requireSessions: false },
    kept,
    params,
  );
  if (outcome === undefined) return NO_RESULT_STATUS;
  print(outcome.answer, asked.json);
  return outcome.status;
}

function parseCall(source: string): unknown {
  if (source.trim() === "") throw new UsageError("`tool` needs a command, or a call as JSON on standard input");
  const json = readJson(source);
  if ("value" in json) return json.value;
  throw new UsageError(`standard input is not JSON: ${atPlace(json.place)}${json.problem}`);
}

function print(answer: BashToolResult, isJson: boolean): void {
  const shown = isJson ? JSON.stringify(answer) : answer.content.map((part) => part.text).join("");
  process.stdout.write(`${shown}\n`);
}
