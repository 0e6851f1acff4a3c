/**
 * What never runs, whatever rules and modes say: hard blocks, the owner's blocked commands, and calls that do not say
 * what they do where that is required.
 *
 * The one part of the policy that needs no rules and no person, so that a host without a policy has it as well.
 */
import { findBlockedCommand, findDoubtfulCommand } from "./blocked-commands.ts";
import { type Classification, classify } from "./classify.ts";
import type { DangerOptions } from "./dangers.ts";
import type { Finding } from "./finding.ts";

/** What the owner of a machine forbids, whatever rules and modes allow. */
export interface ForbiddenConfig extends DangerOptions {
  /** Commands that never run, matched by their words: `rm -rf build` matches that and not `rm -rf build2`. */
  readonly blockedCommands?: readonly string[];
  /** A call without a description is denied. Default false. */
  readonly requireDescription?: boolean;
}

/** A text and the folder it would run in. */
export interface PlacedCommand {
  readonly command: string;
  /** Working directory, absolute. */
  readonly cwd?: string | undefined;
}

/** A call, as far as these checks look at it. */
export interface ForbiddenRequest extends PlacedCommand {
  /** What the caller says it does. */
  readonly description?: string | undefined;
  /** Root of the workspace, absolute. */
  readonly workspace?: string | undefined;
  /** Home directory, absolute. */
  readonly home?: string | undefined;
  /** The text as the caller gave it, where what runs was made of it: nothing forbidden may hide in either. */
  readonly original?: PlacedCommand | undefined;
}

/** The class of the command, and why it is forbidden where it is. */
export interface Forbidden {
  readonly classification: Classification;
  /** Empty: nothing forbids it. */
  readonly findings: readonly Finding[];
  /** What may be forbidden, and is known only when it runs: to be asked for, or refused where there is no one to ask. */
  readonly doubts: readonly Finding[];
  /** Blocks that cannot be decided, of either text: a reason to ask, and none to refuse where no one can be asked. */
  readonly undecided: readonly Finding[];
}

/** Looks for what never runs in the command and in the text it was made of. */
export function findForbidden(request: ForbiddenRequest, config: ForbiddenConfig): Forbidden {
  const classification = classifyPlaced(request, request, config);
  const { original } = request;
  const { blockedCommands = [] } = config;
  const texts = [{ ...request, found: classification }];
  if (original !== undefined) texts.push({ ...original, found: classifyPlaced(original, request, config) });
  const undecided = texts.flatMap(({ found }) => found.undecided);
  for (const { command, found } of texts) {
    if (found.class === "blocked") return { classification: found, findings: found.findings, doubts: [], undecided };
    const blocked = findBlockedCommand(found.analysis, command, blockedCommands);
    if (blocked !== undefined) {
      return { classification: { ...found, class: "blocked" }, findings: [blocked], doubts: [], undecided };
    }
  }
  const doubt = findDoubtfulCommand(classification.analysis, blockedCommands);
  const doubts = doubt === undefined ? [] : [doubt];
  return { classification, findings: missingDescription(request, config), doubts, undecided };
}

function classifyPlaced(
  { command, cwd }: PlacedCommand,
  { home, workspace }: ForbiddenRequest,
  { blockShutdown }: ForbiddenConfig,
): Classification {
  return classify(command, { cwd, home, workspace, ...(blockShutdown === undefined ? {} : { blockShutdown }) });
}

function missingDescription({ description }: ForbiddenRequest, { requireDescription }: ForbiddenConfig): Finding[] {
  if (requireDescription !== true || (description ?? "").trim() !== "") return [];
  return [
    {
      code: "description-required",
      severity: "unknown",
      message: "a description of what the command does is required",
      hint: "say in `description` what the command does",
      span: { start: 0, end: 0 },
    },
  ];
}
