/**
 * What a place says of itself: the far `Hello`, as hosts read it.
 */
import type { Capabilities } from "@pi-bash/natives";
import { nodeArch } from "./host-binaries.ts";
import type { FarHello } from "./wire/messages.ts";

/** What a place said of itself when it was connected. */
export interface PlaceFacts {
  /** The `pi-host` that serves; with another one, sessions of before are gone. */
  readonly instance: string;
  /** The version of its `pi-host`. */
  readonly version: string;
  readonly host: string;
  /** As `uname` says it, in small letters: `linux`. */
  readonly os: string;
  /** As `process.arch` names it. */
  readonly arch: string;
  readonly user?: string;
  readonly uid?: number;
  readonly home?: string;
  /** First directory of sessions. */
  readonly cwd: string;
  /** The environment that the transport gave. */
  readonly env: Readonly<Record<string, string>>;
  /** The bash that sessions run. */
  readonly bash?: { readonly path: string; readonly version?: string };
  /** Why there is none. */
  readonly bashError?: string;
  readonly capabilities: Capabilities;
  /** Another one after the machine was started again. */
  readonly bootId?: string;
  /** The folder of its `pi-host`, where spills lie. */
  readonly folder: string;
  /** Bytes free there. */
  readonly freeBytes?: number;
  /** Newest measured round trip, in milliseconds. 0: none was measured yet. */
  readonly rttMs: number;
}

/** The facts of a link; `workspace` is the first directory of sessions, where one was chosen. */
export function factsOf(hello: FarHello, rttMs: number, workspace: string | undefined): PlaceFacts {
  const { build, host, os, arch, user, uid, home, env, bash, bashError, capabilities, bootId, folder, freeBytes } =
    hello;
  return {
    instance: hello.instance,
    version: build.version,
    host,
    os,
    arch: nodeArch(arch),
    ...(user === undefined ? {} : { user }),
    ...(uid === undefined ? {} : { uid }),
    ...(home === undefined ? {} : { home }),
    cwd: workspace ?? hello.cwd,
    env,
    ...(bash === undefined
      ? {}
      : { bash: { path: bash.path, ...(bash.version === undefined ? {} : { version: bash.version }) } }),
    ...(bashError === undefined ? {} : { bashError }),
    capabilities: capabilitiesOf(capabilities),
    ...(bootId === undefined ? {} : { bootId }),
    folder,
    ...(freeBytes === undefined ? {} : { freeBytes }),
    rttMs,
  };
}

function capabilitiesOf({ readOnly, ...rest }: FarHello["capabilities"]): Capabilities {
  const { available, reason, degraded } = readOnly;
  return { ...rest, readOnly: { available, degraded, ...(reason === undefined ? {} : { reason }) } };
}
