/**
 * A terminal of the same user with a program on it that never reads: a line waits there, and nothing is printed.
 */
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { PtySession } from "@pi-bash/natives";
import { until } from "../../../support/patience.ts";

/** What waits there to be read. */
export const TYPED = "typed-at-the-terminal";

/** A terminal that is open. */
export interface Terminal {
  /** E.g. `/dev/pts/3`. */
  readonly path: string;
  /** Types the line again, which a control may have read. */
  type(): void;
  /** What was printed on it, beside what `look` prints itself. */
  look(): Promise<Map<string, string>>;
  close(): Promise<void>;
}

/** Opens one. */
export async function openTerminal(): Promise<Terminal> {
  const session = new PtySession();
  let output = "";
  const ended = session.start({ command: "stty -echo; printf '<%s>' $(tty); exec sleep 600" }, (_error, chunk) => {
    output += chunk;
  });
  let path = "";
  await until("the terminal has a name", () => {
    path = /<(\S+)>/.exec(output)?.[1] ?? "";
    return path !== "";
  });
  output = "";
  session.write(`${TYPED}\n`);
  let looks = 0;
  return {
    path,
    type: () => session.write(`${TYPED}\n`),
    look: async () => {
      const mark = `look ${++looks}.`;
      // As this host's own terminal it would get signals of that one.
      const file = openSync(path, constants.O_WRONLY | constants.O_NOCTTY);
      writeSync(file, mark);
      closeSync(file);
      await until("the terminal shows what was written", () => output.includes(mark));
      return new Map([["terminal", output.replaceAll(/look \d+\./g, "")]]);
    },
    close: async () => {
      session.kill();
      await ended;
    },
  };
}
