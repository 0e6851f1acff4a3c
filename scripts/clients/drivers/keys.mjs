/** A client at a terminal, used by keys. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startChild } from "../child.mjs";

const TERMINAL = fileURLToPath(new URL("../programs/on-a-terminal.py", import.meta.url));
/** A line and its Enter at once are taken for something that was pasted. */
const BEFORE_ENTER_MS = 1_000;
const ESCAPE = "\u001b";

/**
 * Starts a client that is asked by its command line. Escape cancels; a line asks once more, and another one ends it when the
 * model has nothing more to say.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string>, over: Promise<void>, exit: string }} options `exit` is the line
 * @returns {import("../rounds.mjs").Started}
 */
export function startAtTerminal(command, args, { over, exit, ...options }) {
  const client = startChild("python3", [TERMINAL, command, ...args], { ...options, input: "pipe" });
  const press = (keys) => client.child.stdin.write(keys);
  const type = async (line) => {
    await sleep(BEFORE_ENTER_MS);
    press(line);
    await sleep(BEFORE_ENTER_MS);
    press("\r");
  };
  void over.then(() => type(exit));
  return { ...client, cancel: () => press(ESCAPE), goOn: () => void type("Go on.") };
}
