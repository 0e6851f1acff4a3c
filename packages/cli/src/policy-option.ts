/**
 * `--policy FILE` and `--mode MODE`: the rules and the mode that a command line asks for.
 *
 * No one can be asked on the command line, so that every question is a refusal. A file that cannot be read is a wrong
 * command line; one that is broken is said, and then nothing runs that its missing rules might have denied.
 */
import { readFile } from "node:fs/promises";
import { UnaskedKind } from "@pi-bash/contract";
import { createPolicy, loadRuleFile, POLICY_MODES, type Policy, type PolicyMode } from "@pi-bash/policy";
import { UsageError } from "./usage.ts";

/** Rules, and where they were read. */
export interface RuleText {
  readonly path: string;
  readonly text: string;
}

/** What was asked for; both absent: no policy. */
export interface PolicyArguments {
  /** Path of a rule file. */
  policyFile?: string;
  /** The rules themselves, where they have been read: of a client of a host. */
  rules?: RuleText;
  mode?: PolicyMode;
  /** What may run unasked though it otherwise never does. */
  allowUnasked: UnaskedKind[];
}

/** Reads the values of the two options. */
export function parsePolicyArguments(values: {
  policy?: string | undefined;
  mode?: string | undefined;
  "allow-unasked": readonly string[];
}): PolicyArguments {
  const mode = POLICY_MODES.find((name) => name === values.mode);
  if (values.mode !== undefined && mode === undefined) {
    throw new UsageError(`\`--mode\` takes one of ${POLICY_MODES.join(", ")}, not \`${values.mode}\``);
  }
  return {
    ...(values.policy === undefined ? {} : { policyFile: values.policy }),
    ...(mode === undefined ? {} : { mode }),
    allowUnasked: values["allow-unasked"].map(unaskedKind),
  };
}

function unaskedKind(text: string): UnaskedKind {
  const kind = UnaskedKind.options.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw new UsageError(`\`--allow-unasked\` takes one of ${UnaskedKind.options.join(", ")}, not \`${text}\``);
}

/** The policy that was asked for. Problems of the rules are printed, each once. */
export async function policyOf(asked: PolicyArguments, tell?: (message: string) => void): Promise<Policy | undefined> {
  return hasPolicy(asked) ? openPolicy(asked, tell) : undefined;
}

/** Whether rules or a mode were asked for. */
export function hasPolicy({ policyFile, rules, mode }: PolicyArguments): boolean {
  return policyFile !== undefined || rules !== undefined || mode !== undefined;
}

/** A policy with the rules that were asked for, or with none. Problems of the rules are printed, each once. */
export async function openPolicy(asked: PolicyArguments, tell: (message: string) => void = printed): Promise<Policy> {
  const rules = await readRules(asked);
  const policy = createPolicy({ ruleSets: rules === undefined ? [] : [loadRuleFile(rules.text, "cli", rules.path)] });
  for (const problem of policy.problems) tell(problem);
  return policy;
}

function printed(message: string): void {
  process.stderr.write(`pi-bash: ${message}\n`);
}

/**
 * The rules that were asked for, if any were.
 *
 * @throws UsageError for a file that cannot be read
 */
export async function readRules({ policyFile: path, rules }: PolicyArguments): Promise<RuleText | undefined> {
  if (rules !== undefined || path === undefined) return rules;
  try {
    return { path, text: await readFile(path, "utf8") };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const why = error instanceof Error ? error.message : String(error);
    const problem =
      code === "ENOENT"
        ? `there is no rule file \`${path}\``
        : code === "EISDIR"
          ? `the rule file \`${path}\` is a folder`
          : `the rule file \`${path}\` cannot be read: ${why}`;
    throw new UsageError(problem, { cause: error });
  }
}
