/**
 * What a program on a terminal of a place begins with: the shell over there, that user's own environment, and the terminal.
 */
import type { Settings } from "@pi-bash/contract";
import type { PtyDevice } from "../console/console-port.ts";
import { withheldEnvironment } from "../environment/child-environment.ts";
import type { OutputMask } from "../natives-port.ts";
import type { SessionBase } from "../session-base.ts";

/** Opens terminals on a place. */
export interface PlaceTerminal {
  /** Path of the shell over there. */
  readonly shell: string;
  /** Masks secrets of both machines in what is shown of a terminal. Undefined: nothing is masked. */
  readonly mask: OutputMask | undefined;
  /**
   * The whole environment of a program. `hardened`: like any command, with a terminal type that can draw. `user`: the far
   * user's own pagers and editors, since a person sits there. `env` wins in both.
   */
  environment(kind: Settings["bash.ptyEnvironment"], env?: Readonly<Record<string, string>>): Record<string, string>;
  /** Another terminal, for one program. */
  createPty(): PtyDevice;
}

/** The terminals of the place that `base` is for. Undefined: this machine, or a place without pseudoterminals. */
export function placeTerminal(base: SessionBase, settings: Settings): PlaceTerminal | undefined {
  const { natives, place, config, environment, mask } = base;
  const { PtySession } = natives;
  if (place === undefined || PtySession === undefined) return undefined;
  return {
    shell: config.shell,
    mask,
    environment: (kind, env = {}) => {
      const begun = kind === "user" ? withheldEnvironment({ hostEnv: place.facts.env, settings }).env : environment.env;
      return { ...begun, TERM: "xterm-256color", ...env };
    },
    createPty: () => new PtySession(),
  };
}
