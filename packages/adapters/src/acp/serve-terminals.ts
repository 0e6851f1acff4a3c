/**
 * For a client: its side of `terminal/*`, on the engine. Each terminal is one command in a shell of its own.
 *
 * A person's editor decides what an agent may run in it; it is asked through `authorize`. What a terminal does between
 * its start and its end is in `terminal.ts`.
 */

import { type ClientApp, methods, RequestError } from "@agentclientprotocol/sdk";
import { refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { BashToolSession } from "@pi-bash/tool";
import { commandLine, Terminal } from "./terminal.ts";

/** What an agent wants to run. */
export interface TerminalRequest {
  sessionId: string;
  /** The command line that would run. */
  command: string;
  /** Absent: where the executor's sessions begin. */
  cwd: string | undefined;
  env: Readonly<Record<string, string>>;
}

/** What the terminals of a client run on. */
export interface TerminalsPorts {
  executor: Pick<BashToolSession["executor"], "executeBash" | "closeSession">;
  /** Says why a command may not run, for the agent; undefined: it may. Default: everything may. */
  authorize?: (request: TerminalRequest, signal: AbortSignal) => Promise<string | undefined>;
}

/** The terminals of a client. */
export interface AcpTerminals {
  /** How many there are that were not released. */
  readonly count: number;
  /** Ends all that runs and forgets the terminals. Fine any number of times. */
  dispose(): Promise<void>;
}

/**
 * Answers `terminal/*` for this app, which has one connection; all terminals end with it. Announce it in `initialize`
 * with `clientCapabilities: { terminal: true }`.
 */
export function serveTerminals(app: ClientApp, ports: TerminalsPorts): AcpTerminals {
  refuseUnknownOptions("serveTerminals", ports, { executor: true, authorize: true });
  const { executor, authorize } = ports;
  const terminals = new Map<string, Terminal>();
  let lastNumber = 0;
  const find = ({ sessionId, terminalId }: { sessionId: string; terminalId: string }): Terminal => {
    const terminal = terminals.get(terminalId);
    if (terminal === undefined || terminal.sessionId !== sessionId) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  };
  const dispose = async (): Promise<void> => {
    const left = [...terminals.values()];
    terminals.clear();
    await Promise.all(left.map((terminal) => terminal.close()));
  };

  app
    .onRequest(methods.client.terminal.create, async ({ params, signal }) => {
      const { sessionId, outputByteLimit } = params;
      const env = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
      const request = { sessionId, command: commandLine(params), cwd: params.cwd ?? undefined, env };
      const refusal = await authorize?.(request, signal);
      if (refusal !== undefined) throw RequestError.invalidRequest(undefined, refusal);
      lastNumber += 1;
      const terminalId = `term_${lastNumber}`;
      terminals.set(terminalId, new Terminal(executor, request, outputByteLimit ?? undefined));
      return { terminalId };
    })
    .onRequest(methods.client.terminal.output, ({ params }) => find(params).output())
    .onRequest(methods.client.terminal.waitForExit, ({ params }) => find(params).exited())
    .onRequest(methods.client.terminal.kill, async ({ params }) => {
      await find(params).kill();
      return {};
    })
    .onRequest(methods.client.terminal.release, async ({ params }) => {
      const terminal = find(params);
      terminals.delete(params.terminalId);
      await terminal.close();
      return {};
    })
    .onConnect(({ closed }) => void closed.catch(() => undefined).then(dispose));
  return {
    get count() {
      return terminals.size;
    },
    dispose,
  };
}
