/**
 * `pi-bash attach ID`: a person looks at a session, a job or a command of the host, and types into a task that has a terminal.
 * Leaving ends nothing.
 */
import { askHost } from "../host/host-client.ts";
import { typeAtTask, windowSize } from "../host/person-window.ts";
import { relay } from "../host/relay.ts";
import { parseOptionWords } from "../option-words.ts";
import { ATTACH_OPTIONS } from "../surface/options.ts";
import { UsageError } from "../usage.ts";

/** Columns where standard output is not a terminal. */
const DEFAULT_COLUMNS = 100;
/** Rows of a terminal that does not say. */
const DEFAULT_ROWS = 24;

/** Runs the words after `attach` and resolves with the exit status. */
export async function attach(words: readonly string[]): Promise<number> {
  const { positionals, values } = parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: ATTACH_OPTIONS,
  });
  const [id, ...more] = positionals;
  if (id === undefined || more.length > 0) throw new UsageError("`attach` takes one id; `pi-bash sessions` lists them");
  const { isTTY, columns = DEFAULT_COLUMNS, rows = DEFAULT_ROWS } = process.stdout;
  const hasColour = isTTY === true && process.env["NO_COLOR"] === undefined;
  const mayType = isTTY === true && process.stdin.isTTY === true && values["read-only"] !== true;
  const window = mayType ? { window: windowSize({ columns, rows }) } : {};
  const connection = await askHost({ ask: "attach", id, columns, hasColour, ...window });
  if (connection.answer.command !== undefined) return typeAtTask(connection, id);
  const onLeave = (): void => {
    process.stderr.write(`pi-bash: left \`${id}\`, which goes on; \`pi-bash end ${id}\` ends it\n`);
  };
  return relay(connection, { onLeave });
}
