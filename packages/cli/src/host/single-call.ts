/**
 * One call of the bash tool in a kept session, beside the client that is there: no client is displaced, the shell takes turns.
 *
 * Both sides are here: what the host does, and what the program does that makes the call. The answer crosses as JSON, so
 * that it is printed where its reader is. Whoever makes the call and goes ends it, as Ctrl-C does.
 */
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import type { BashToolResult } from "@pi-bash/contract";
import { createBashTool } from "@pi-bash/tool";
import { type CallOutcome, callOutcome } from "../call-outcome.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { policyOf } from "../policy-option.ts";
import { sessionOf } from "../serve/bench.ts";
import type { KeptArguments, SessionArguments } from "../tool-arguments.ts";
import { FRAME, FrameLink } from "./frames.ts";
import { askHost } from "./host-client.ts";
import type { KeptSession } from "./kept-session.ts";
import { seatOf } from "./relay.ts";
import type { ClientRights } from "./serve-client.ts";

/** The host's side: makes the call on a connection that it has agreed to. */
export async function serveCall(
  socket: Socket,
  session: KeptSession,
  { rights, params }: { rights: ClientRights; params: unknown },
): Promise<void> {
  const stop = new AbortController();
  const link = new FrameLink(socket, {
    onFrame: (kind) => void (kind === FRAME.stop && stop.abort()),
    onClosed: () => stop.abort(),
  });
  // Nothing is read of it; a connection that is never read would not hear of the end.
  link.input.resume();
  const policy = await policyOf(rights, (message) => link.send(FRAME.message, message));
  const made = createBashTool({ ...sessionOf(session.bench, { ...rights, policy }), toolNames: ["bash"] });
  const bash = session.seen(made);
  const outcome = await session.during(() =>
    callOutcome(() => bash.execute("cli", params, stop.signal) as Promise<BashToolResult>),
  );
  link.output.write(JSON.stringify(outcome), () => {
    link.send(FRAME.exit, JSON.stringify({ status: outcome.status }));
    link.finish();
  });
}

/** The caller's side: what became of the call, or undefined where the host has ended, which is said. */
export async function callFromHost(
  asked: SessionArguments,
  kept: KeptArguments,
  params: unknown,
): Promise<CallOutcome | undefined> {
  const { socket } = await askHost({ ask: "call", seat: await seatOf(asked, kept), params });
  let hasEnded = false;
  const link: FrameLink = new FrameLink(socket, {
    onFrame: (kind, payload) => {
      if (kind === FRAME.message) process.stderr.write(`pi-bash: ${payload.toString("utf8")}\n`);
      if (kind !== FRAME.exit) return;
      hasEnded = true;
      link.endInput();
    },
    onClosed: () => link.endInput(),
  });
  const interrupt = listenForInterrupt(() => link.send(FRAME.stop));
  try {
    const answer = await text(link.input);
    if (!hasEnded) {
      process.stderr.write("pi-bash: the host has ended\n");
      return undefined;
    }
    const outcome: CallOutcome = JSON.parse(answer);
    return outcome.hasResult ? outcome : { ...outcome, status: interrupt.status ?? outcome.status };
  } finally {
    interrupt.release();
    socket.destroy();
  }
}
