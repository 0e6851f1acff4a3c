/**
 * Numbers of signals on a place. Places are Linux on x64 and arm64, which have the same numbers; this machine may have others.
 */
import { invalidOption } from "@pi-bash/natives/internal";

/** By name, without `SIG`, as signal(7) has them. */
const NUMBERS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  TRAP: 5,
  ABRT: 6,
  IOT: 6,
  BUS: 7,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  STKFLT: 16,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
  TSTP: 20,
  TTIN: 21,
  TTOU: 22,
  URG: 23,
  XCPU: 24,
  XFSZ: 25,
  VTALRM: 26,
  PROF: 27,
  WINCH: 28,
  IO: 29,
  POLL: 29,
  PWR: 30,
  SYS: 31,
};

/** The number of `name` over there, with or without `SIG`. Throws `ShellError` `PI_INVALID_OPTION` for a name that has none. */
export function linuxSignal(name: unknown): number {
  const short = String(name).toUpperCase().replace(/^SIG/, "");
  const number = Object.hasOwn(NUMBERS, short) ? NUMBERS[short] : undefined;
  if (number === undefined) throw invalidOption("signal", `is \`${String(name)}\`, which is not a signal of Linux`);
  return number;
}
