/**
 * A text's syntax tree, made once for the analysis and the fixups of one call. Both only read it.
 */
import { parse } from "unbash";
import { keptByText } from "./kept-by-text.ts";

/** Parses a text. The same text gives the same tree for a while. */
export const parsedText: (text: string) => ReturnType<typeof parse> = keptByText((text) => parse(text));
