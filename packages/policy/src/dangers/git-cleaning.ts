/**
 * `git clean -f` where the whole of a protected folder is its working tree: it removes what no commit holds.
 *
 * With `--work-tree` the line says that it is one. Elsewhere a repository may be there or not, as with files of a home
 * that are kept in one. Source: git-clean(1), git(1).
 */
import { targetOf } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import { block, type DangerCall, undecided, worst } from "./call.ts";
import { folderAt } from "./folders.ts";
import { type OptionGrammar, optionsNamed, readGivenOptions } from "./given-options.ts";
import { type Field, knownText, textField } from "./values/fields.ts";

const GRAMMAR: OptionGrammar = {
  valued: "Cce",
  longValued: "git-dir work-tree namespace config-env super-prefix exclude",
};

/** Judges `git clean`; other subcommands remove nothing that is not in a commit. */
export function judgeCleaning(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, GRAMMAR);
  const [subcommand, ...paths] = given.operands;
  if (subcommand === undefined || knownText(subcommand) !== "clean") return undefined;
  if (optionsNamed(given, "-n", "--dry-run").length > 0 || !isForced(call, given)) return undefined;
  const folder = optionsNamed(given, "-C").reduce(
    (here, { values }) => folderAt(values.length === 1 ? values.map(knownText)[0] : undefined, here),
    call.folder,
  );
  const trees = [...optionsNamed(given, "--work-tree").flatMap(({ values }) => values), ...treesOfVariable(call)];
  const named = paths.length > 0 ? paths : trees.length > 0 ? trees : [textField(".")];
  return worst(
    named.map((field) => {
      const { certain } = targetOf(field, folder);
      if (certain?.kind !== "main") return undefined;
      const message = `\`git clean\` of ${certain.name}`;
      return trees.length > 0 ? block("remove-system", message) : undecided(message);
    }),
  );
}

/** `GIT_WORK_TREE=/ git clean -fd`. */
function treesOfVariable({ command, fieldsOf }: DangerCall): readonly Field[] {
  return command.assignments.flatMap(({ name, value }) =>
    name === "GIT_WORK_TREE" && value !== null ? fieldsOf(value) : [],
  );
}

/** A setting of the call may make `-f` needless. */
function isForced({ fields }: DangerCall, given: ReturnType<typeof readGivenOptions>): boolean {
  const isSet = fields.some((field) => /^clean\.requireforce=(?:false|no|off|0)$/i.test(knownText(field) ?? ""));
  return isSet || optionsNamed(given, "-f", "--force").length > 0;
}
