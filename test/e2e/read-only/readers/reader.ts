/**
 * Lines that usual readers are, each compared as a read-only command and without; and the table that the page shows of them.
 */
import { OF_FILES } from "./of-files.ts";
import { OF_PROJECTS } from "./of-projects.ts";
import { OF_SYSTEM } from "./of-system.ts";

/** One line. */
export interface Reader {
  readonly line: string;
  /** Programs that a machine or a user may lack; without one of them the line is not compared. */
  readonly needs?: readonly string[];
  /** What is different as a read-only command, and why. Absent: nothing. */
  readonly differs?: string;
  /** Whether it has to differ; false where that depends on the user or the machine. Default true. */
  readonly always?: boolean;
}

/** Lines by what they read. */
export type Readers = Readonly<Record<string, readonly Reader[]>>;

/** All of them. */
export const READERS: Readers = { ...OF_FILES, ...OF_PROJECTS, ...OF_SYSTEM };

/** The table of the page. */
export function tableOfReaders(): string {
  const code = (line: string): string => `\`${line.replaceAll("|", "\\|").replaceAll("\n", " ⏎ ")}\``;
  const groups = Object.entries(READERS);
  const same = groups.map(([name, readers]) => {
    const lines = readers.filter(({ differs }) => differs === undefined).map(({ line }) => code(line));
    return `| ${name} | ${lines.join(", ")} |`;
  });
  const others = groups.flatMap(([, readers]) => readers).filter(({ differs }) => differs !== undefined);
  const different = others.map(({ line, differs }) => `| ${code(line)} | ${differs} |`);
  return [
    "| what reads | the same output and status |",
    "|---|---|",
    ...same,
    "",
    "| what differs | how, and why |",
    "|---|---|",
    ...different,
    "",
  ].join("\n");
}
