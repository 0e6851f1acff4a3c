/**
 * The rule files that go with a host's minimizer: the person's own, and a project's where the person approved it.
 *
 * What an agent can write must not decide what the agent's model is shown. So a project's file counts only when its
 * SHA-256 is among the approved ones, and the text that was hashed is the text that is used: the file is read once.
 * A file that is not used says so once; it never costs an output.
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Settings } from "@pi-bash/contract";
import { MAX_RULE_FILE_BYTES } from "@pi-bash/contract/internal";
import type { NativesPort } from "./natives-port.ts";

/** Where a project keeps its rules, from its folder. */
export const PROJECT_RULES = ".pi-bash/minimizer.toml";

export type RuleFileSettings = Pick<
  Settings,
  "shellMinimizer.settingsPath" | "shellMinimizer.settingsHash" | "shellMinimizer.approvedRules"
>;

/** The texts to use, the most important first, and what a person should know about the others. */
export interface RuleFiles {
  texts: string[];
  problems: string[];
}

/** A rule file as it was read. */
export interface RuleFile {
  text: string;
  /** Of the bytes, in lower-case hexadecimal digits. */
  sha256: string;
}

/** Reads a rule file. Rejects for what is no regular file, too long, or no UTF-8. */
export async function readRuleFile(path: string): Promise<RuleFile> {
  // Non-blocking: opening a named pipe would wait for a writer for ever.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new Error("it is not a regular file");
    const bytes = Buffer.alloc(MAX_RULE_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (length > MAX_RULE_FILE_BYTES) throw new Error(`it is longer than ${MAX_RULE_FILE_BYTES} bytes`);
      if (bytesRead === 0) break;
    }
    const content = bytes.subarray(0, length);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content);
    return { text, sha256: createHash("sha256").update(content).digest("hex") };
  } finally {
    await file.close();
  }
}

/** Reads and approves the files that the settings ask for. `folder` is the project's. Never rejects. */
export async function loadRuleFiles(
  settings: RuleFileSettings,
  folder: string,
  natives: Pick<NativesPort, "verifyMinimizerRules">,
): Promise<RuleFiles> {
  const found: RuleFiles = { texts: [], problems: [] };
  const take = async (path: string, approves: (sha256: string) => boolean, isOptional: boolean): Promise<void> => {
    try {
      const { text, sha256 } = await readRuleFile(path);
      if (!approves(sha256))
        throw new Error(`its SHA-256 ${sha256} is not approved; \`shellMinimizer.approvedRules\` approves it`);
      natives.verifyMinimizerRules?.(text);
      found.texts.push(text);
    } catch (error) {
      if (isOptional && isMissing(error)) return;
      const reason = error instanceof Error ? error.message : String(error);
      found.problems.push(`The minimizer's rule file \`${path}\` is not used: ${reason}`);
    }
  };
  const { "shellMinimizer.settingsPath": own, "shellMinimizer.settingsHash": hash } = settings;
  const approved = settings["shellMinimizer.approvedRules"];
  if (own !== undefined) await take(resolve(folder, own), (sha256) => hash === undefined || hash === sha256, false);
  // Without approvals a project's file is not even looked for.
  if (approved.length > 0) await take(resolve(folder, PROJECT_RULES), (sha256) => approved.includes(sha256), true);
  return found;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
