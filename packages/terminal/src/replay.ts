/**
 * From the raw text of a program on a terminal to what a person would have seen of it.
 *
 * For the record and for the model: a progress bar is its last frame, a text that was redrawn is there once, and no
 * escape sequence is left. No one answers the questions in it; it was recorded.
 */
import { VirtualTerminal, type VirtualTerminalOptions } from "./virtual-terminal.ts";

/** The scrollback and the final screen of `raw`, without empty lines at the end. Lines end with a newline. */
export async function replay(raw: string, options: Omit<VirtualTerminalOptions, "onReply"> = {}): Promise<string> {
  const terminal = new VirtualTerminal(options);
  try {
    await terminal.write(raw);
    const text = terminal.text();
    return text === "" ? "" : `${text}\n`;
  } finally {
    terminal.dispose();
  }
}
