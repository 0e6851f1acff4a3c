/** What downloads: a program for it, a connection that bash opens, code that opens an address. */
import type { Construct, EffectiveCommand } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import { isInterpreter } from "./program-text.ts";

const DOWNLOADERS =
  /^(?:curl|wget2?|fetch|aria2c|https?|xh|xhs|curlie|lynx|w3m|links2?|elinks|lwp-request|GET|nc|ncat|netcat|socat|telnet|ftp|lftp|tftp|axel)$/;
/** A path that bash opens as a connection. */
export const CONNECTION = /^\/dev\/(?:tcp|udp)\//;
/** Code that opens an address. */
export const CODE_OPENS =
  /https?:\/\/|\burlopen\b|\burllib|\brequests\.|\bhttpx\b|\bLWP\b|\bHTTP::|\bNet::HTTP|\bopen-uri\b|\bfetch\s*\(|\bsocket\b|\bDownloadString\b/;

/** A loop or a group whose input or output is a connection. */
export function isConnected(construct: Construct): boolean {
  return construct.kind === "redirection" && CONNECTION.test(construct.redirection.target?.leading ?? "");
}

/** True for a command that downloads. */
export function downloads({ argv, unresolved, simple }: EffectiveCommand): boolean {
  const words = unresolved === undefined || isInterpreter(argv[0]) ? argv.slice(0, 1) : argv;
  if (words.some(({ value }) => DOWNLOADERS.test(programName(value ?? "")))) return true;
  if (simple.redirections.some(({ target }) => CONNECTION.test(target?.leading ?? ""))) return true;
  return (
    isInterpreter(argv[0]) && argv.slice(1).some(({ display }) => CODE_OPENS.test(display) && /[({ ]/.test(display))
  );
}
