/**
 * `pi-bash end ID…`: ends sessions, jobs and commands of the host, each with everything it started.
 */
import { askOnce } from "../host/host-client.ts";
import { HostError } from "../host/host-error.ts";
import { parseOptionWords } from "../option-words.ts";
import { UsageError } from "../usage.ts";

/** Exit status where an id names nothing. */
const UNKNOWN_STATUS = 1;

/** Runs the words after `end` and resolves with the exit status. */
export async function end(words: readonly string[]): Promise<number> {
  const { positionals: ids } = parseOptionWords({ args: [...words], allowPositionals: true, options: {} });
  if (ids.length === 0) throw new UsageError("`end` needs an id; `pi-bash sessions` lists them");
  try {
    const { ended = [] } = await askOnce({ ask: "end", ids });
    for (const line of ended) process.stdout.write(`${line}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "PI_HOST_UNKNOWN_ID") throw error;
    process.stderr.write(`pi-bash: ${error.message}; nothing was ended\n`);
    return UNKNOWN_STATUS;
  }
}
