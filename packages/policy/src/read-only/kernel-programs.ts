/**
 * Calls that only read as long as the kernel holds them: one-liners of interpreters, and what build tools say offline.
 *
 * The tables refuse these calls, because their programs run code or obey a project's files. Where the kernel keeps a
 * command from writing and from the network (docs/read-only.md), that code can only read. Tools whose work is the
 * network (`npm view`, `cargo search`, `gh`) do not belong here: confined they can only fail, so a person is asked first.
 */
import type { Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import type { Call } from "./options.ts";

/** What `npm` reads in the folders of a project. */
const NPM_READS = /^(?:ls|list|ll|la|explain|why|root|prefix)$/;
/** What `cargo` reads of a workspace. */
const CARGO_READS = /^(?:metadata|tree|locate-project|pkgid|version|--version|-V)$/;
/** Options of `node` that print or evaluate their value. */
const NODE_EVALUATES = /^(?:-e|-p|-pe|--eval|--print)$/;
const NODE_PLAIN = /^(?:--no-warnings|--input-type=(?:module|commonjs))$/;
const PYTHON_PLAIN = /^-[IEsSBuqO]+$/;

type ReadsOffline = (args: readonly Word[]) => boolean;

/** Every word is known, and the first one says what is done. */
const asksFor =
  (subcommands: RegExp): ReadsOffline =>
  (args) =>
    isLiteral(args) && subcommands.test(firstValue(args));

/** Known options, then the one whose value is the program; what follows are arguments of that program. */
const evaluates =
  (plain: RegExp, option: RegExp): ReadsOffline =>
  (args) => {
    const at = args.findIndex((word) => !plain.test(word.value ?? ""));
    const program = args[at + 1];
    return at !== -1 && option.test(args[at]?.value ?? "") && program !== undefined && program.value !== null;
  };

const python = evaluates(PYTHON_PLAIN, /^-c$/);

/** `go env` sets variables with `-w` and `-u`. */
const go: ReadsOffline = (args) =>
  asksFor(/^(?:env|version)$/)(args) && !args.some((word) => /^-?-[wu]\b/.test(word.value ?? ""));

const PROGRAMS: ReadonlyMap<string, ReadsOffline> = new Map<string, ReadsOffline>([
  ["python", python],
  ["python3", python],
  ["node", evaluates(NODE_PLAIN, NODE_EVALUATES)],
  ["npm", asksFor(NPM_READS)],
  ["cargo", asksFor(CARGO_READS)],
  ["go", go],
  ["man", (args) => args.length > 0 && isLiteral(args)],
]);

/** Whether a call that the tables refuse only reads where the kernel holds it. */
export function readsUnderKernel({ name, args }: Call): boolean {
  return PROGRAMS.get(name)?.(args) === true;
}

function isLiteral(args: readonly Word[]): boolean {
  return args.every((word) => word.value !== null);
}
