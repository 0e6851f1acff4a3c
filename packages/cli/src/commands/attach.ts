/**
 * `pi-bash attach ID`: a person looks at a session, a job or a command of the host. Leaving ends nothing.
 */
import { askHost } from "../host/host-client.ts";
import { relay } from "../host/relay.ts";
import { parseOptionWords } from "../option-words.ts";
import { UsageError } from "../usage.ts";

/** Columns where standard output is not a terminal. */
const DEFAULT_COLUMNS = 100;

/** Runs the words after `attach` and resolves with the exit status. */
export async function attach(words: readonly string[]): Promise<number> {
  const { positionals } = parseOptionWords({ args: [...words], allowPositionals: true, options: {} });
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) throw new UsageError("`attach` takes one id; `pi-bash sessions` lists them");
  const { isTTY, columns = DEFAULT_COLUMNS } = process.stdout;
  const hasColour = isTTY === true && process.env["NO_COLOR"] === undefined;
  const connection = await askHost({ ask: "attach", id, columns, hasColour });
  const onLeave = (): void => {
    process.stderr.write(`pi-bash: left \`${id}\`, which goes on; \`pi-bash end ${id}\` ends it\n`);
  };
  return relay(connection, { onLeave });
}
