/**
 * Ctrl-C, twice: the first ends the command, the second ends this program.
 *
 * The command is no member of the terminal's process group, so the terminal's signal reaches this program alone and
 * has to be passed on. SIGTERM and SIGHUP end the command as well: nothing must be left behind by a closed window.
 */
const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type HandledSignal = keyof typeof SIGNAL_STATUS;

export interface Interrupt {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Exit status for the signal that came; undefined while none did. */
  readonly status: number | undefined;
  /** Gives the signals back to the system's own handling. */
  release(): void;
}

/** Listens until `release`. `onFirst` may tell the person what a second Ctrl-C does. */
export function listenForInterrupt(onFirst: (name: string) => void): Interrupt {
  const controller = new AbortController();
  let status: number | undefined;
  const handle = (name: HandledSignal) => {
    if (status !== undefined) process.exit(SIGNAL_STATUS[name]); // The supervisor ends what still runs.
    status = SIGNAL_STATUS[name];
    onFirst(name);
    controller.abort();
  };
  const names = Object.keys(SIGNAL_STATUS) as HandledSignal[];
  for (const name of names) process.on(name, handle);
  return {
    signal: controller.signal,
    get status() {
      return status;
    },
    release() {
      for (const name of names) process.off(name, handle);
    },
  };
}
