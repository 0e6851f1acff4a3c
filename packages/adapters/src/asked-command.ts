/**
 * The command of a call before it is made, for whoever shows or records calls: parameters may be anything by then.
 */

/** The command line as the model gave it, of `bash` or of a task; undefined: there is none, or it cannot be read. */
export function askedCommand(params: unknown): string | undefined {
  try {
    const { command, script = command }: { command?: unknown; script?: unknown } = Object(params);
    return typeof script === "string" ? script : undefined;
  } catch {
    return undefined; // Of a getter or a proxy that throws. The tool says that its parameters cannot be read.
  }
}
