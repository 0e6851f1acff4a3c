/**
 * Rows of this package as an element of Ink, and the size of Ink's terminal.
 *
 * One `Text` for all rows: each fits already, so Ink has nothing to wrap and one node to lay out.
 */
import { Text, useStdout } from "ink";
import { createElement, type ReactElement, useEffect, useState } from "react";

/** Size of a stream that is no terminal, in cells. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** The rows, one below the other. */
export function rowsElement(rows: readonly string[]): ReactElement {
  return createElement(Text, null, rows.join("\n"));
}

/** Size of the terminal that Ink draws on, in cells; a resize draws anew. */
export function useTerminalSize(): { readonly columns: number; readonly rows: number } {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const onResize = (): void => setSize(sizeOf(stdout));
    stdout.on("resize", onResize);
    return () => void stdout.off("resize", onResize);
  }, [stdout]);
  return size;
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): { readonly columns: number; readonly rows: number } {
  // Of a stream that is no terminal both are undefined, whatever the types say; some terminals say 0.
  return { columns: columns || DEFAULT_COLUMNS, rows: rows || DEFAULT_ROWS };
}
