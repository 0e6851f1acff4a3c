/**
 * The natives' port of a place: the names of `@pi-bash/natives` whose work is done over there, and the ones that stay here.
 *
 * The minimizer and the mask are of this side: texts come here anyway, and the mask of a session's outputs is made again over
 * there of the same values.
 */
import {
  addonInfo,
  type Capabilities,
  type ListeningPort,
  minimizeOutputAsync,
  SecretMask,
  type ShellExecuteOptions,
  type ShellOptions,
  verifyMinimizerRules,
} from "@pi-bash/natives";
import type { ChunkListener, RemoteHost, RemoteRunResult } from "./remote-call.ts";
import { remotePorts } from "./remote-ports.ts";
import { RemotePtySession } from "./remote-pty-session.ts";
import { executeRemote, RemoteShell } from "./remote-shell.ts";

/** What a place does in the place of the addon. */
export interface RemoteNatives {
  readonly Shell: new (options?: ShellOptions) => RemoteShell;
  readonly executeShell: (options: ShellExecuteOptions, onChunk?: ChunkListener) => Promise<RemoteRunResult>;
  /** Programs on a terminal over there. Absent where it has no pseudoterminals. */
  readonly PtySession?: new () => RemotePtySession;
  /** Who listens on a port over there; `null` also where the place is away or slow. */
  readonly portHolder: (port: number) => Promise<ListeningPort | null>;
  /** What works over there, as its `Hello` said. */
  readonly capabilities: () => Capabilities;
  /** Absent where this machine has no addon. */
  readonly minimizeOutputAsync?: typeof minimizeOutputAsync;
  readonly verifyMinimizerRules?: typeof verifyMinimizerRules;
  readonly SecretMask?: typeof SecretMask;
}

/** The port of `host`, whose newest link said `capabilities`. */
export function remoteNatives(host: RemoteHost, capabilities: Capabilities): RemoteNatives {
  return {
    Shell: class extends RemoteShell {
      constructor(options?: ShellOptions) {
        super(host, options);
      }
    },
    executeShell: (options, onChunk) => executeRemote(host, options, onChunk),
    ...(capabilities.pty ? { PtySession: ptySessionOf(host) } : {}),
    portHolder: async (port) => (await remotePorts(await host.link(), { port }, host.name))[0] ?? null,
    capabilities: () => capabilities,
    ...(hasAddon() ? { minimizeOutputAsync, verifyMinimizerRules, SecretMask } : {}),
  };
}

function ptySessionOf(host: RemoteHost): new () => RemotePtySession {
  return class extends RemotePtySession {
    constructor() {
      super(host);
    }
  };
}

function hasAddon(): boolean {
  try {
    addonInfo();
    return true;
  } catch {
    return false;
  }
}
