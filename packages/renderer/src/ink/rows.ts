/**
 * Rows of this package as an element of Ink, and the size of Ink's terminal.
 *
 * One `Text` for all rows: each fits already, so Ink has nothing to wrap and one node to lay out.
 */
import { Text, useStdout } from "ink";
import { createElement, type ReactElement, useSyncExternalStore } from "react";

/** Size of a stream that is no terminal, in cells. */
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** The rows, one below the other. */
export function rowsElement(rows: readonly string[]): ReactElement {
  return createElement(Text, null, rows.join("\n"));
}

/** A size, in cells. */
interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Size of the terminal that Ink draws on; a resize draws again. */
export function useTerminalSize(): TerminalSize {
  const watch = watchOf(useStdout().stdout);
  return useSyncExternalStore(watch.subscribe, watch.size);
}

/** The size of one stream, with one listener on it for however many components want to know. */
interface SizeWatch {
  readonly subscribe: (listener: () => void) => () => void;
  /** The same object for as long as the size is the same. */
  readonly size: () => TerminalSize;
}

const watches = new WeakMap<NodeJS.WriteStream, SizeWatch>();

function watchOf(stdout: NodeJS.WriteStream): SizeWatch {
  const found = watches.get(stdout) ?? createWatch(stdout);
  watches.set(stdout, found);
  return found;
}

function createWatch(stdout: NodeJS.WriteStream): SizeWatch {
  const listeners = new Set<() => void>();
  let last: TerminalSize = sizeOf(stdout);
  const onResize = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    subscribe: (listener) => {
      if (listeners.size === 0) stdout.on("resize", onResize);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stdout.off("resize", onResize);
      };
    },
    size: () => {
      const now = sizeOf(stdout);
      if (now.columns !== last.columns || now.rows !== last.rows) last = now;
      return last;
    },
  };
}

function sizeOf({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  // Of a stream that is no terminal both are undefined, whatever the types say; some terminals say 0.
  return { columns: columns || DEFAULT_COLUMNS, rows: rows || DEFAULT_ROWS };
}
