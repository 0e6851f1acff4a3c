/**
 * Shortens verbose output for the model, after the run, and only where the original stays addressable.
 *
 * The core's minimizer is asked for the output of one simple command whose words are known. Its text replaces what the
 * model sees when it is shorter and the raw output has an artifact: the one the run spilled to, or a new one. Anything
 * else leaves the result as it was (MN-05); the artifact and all counts are of the raw output always.
 */
import { readFile } from "node:fs/promises";
import { analyzeCommand } from "@pi-bash/command";
import type { OutputWindow, Settings } from "@pi-bash/contract";
import { artifactUrl } from "@pi-bash/contract/internal";
import { type CommandResult, countLines } from "./command-result.ts";
import type { MinimizedText, MinimizerChoices, NativesPort, OutputMask } from "./natives-port.ts";
import { isOverLines } from "./output/line-window.ts";
import type { RuleFiles } from "./rule-files.ts";
import { maskResult } from "./secrets.ts";

/** Shorter output is left as it is: there is nothing to win. In UTF-16 units. */
const MIN_CHARS = 1_000;

export type MinimizerSettings = Pick<
  Settings,
  | "shellMinimizer.enabled"
  | "shellMinimizer.only"
  | "shellMinimizer.except"
  | "shellMinimizer.maxCaptureBytes"
  | "shellMinimizer.sourceOutlineLevel"
>;

/** Bytes that the line with the original's address takes, about. */
const FOOTER_BYTES = 40;

/** Saves the raw text; the id under which it can be read, or none where that failed. */
export type SaveOriginal = (text: string) => Promise<string | undefined>;

export interface MinimizeRequest {
  natives: Pick<NativesPort, "minimizeOutputAsync">;
  settings: MinimizerSettings;
  /** Reads the rule files that go before the built-in ones; asked for where there is something to minimize. */
  ruleFiles: () => Promise<RuleFiles>;
  /** The command as it was given, without a prefix. */
  command: string;
  result: CommandResult;
  /** File with the whole raw output, where the result names an artifact. */
  spillPath: string | undefined;
  saveOriginal: SaveOriginal;
  /** Masks secrets in the text of a file, which has them. */
  mask?: OutputMask | undefined;
  /** What the model reads at most. */
  window: OutputWindow;
}

/** The result with minimized text, or the result as it was. Never rejects. */
export async function minimizeResult(request: MinimizeRequest): Promise<CommandResult> {
  const { result, settings } = request;
  const { minimizeOutputAsync } = request.natives;
  const { exitCode } = result;
  if (!settings["shellMinimizer.enabled"] || minimizeOutputAsync === undefined || exitCode === undefined) return result;
  if (result.totalBytes > settings["shellMinimizer.maxCaptureBytes"]) return result;
  try {
    const raw = await rawText(request);
    if (raw === undefined || raw.length < MIN_CHARS) return result;
    const argv = argvOf(request.command);
    if (argv === undefined) return result;
    const { texts } = await request.ruleFiles();
    const minimized = await minimizeOutputAsync({ argv }, raw, exitCode, choices(settings, texts));
    // A rewritten text puts parts together that stood apart.
    return minimized === null ? result : maskResult(request.mask, await swap(request, raw, minimized));
  } catch {
    // A minimizer that fails must not cost the output.
    return result;
  }
}

/** The whole output: what the model would see, or the artifact where that is only a part. */
async function rawText({ result, spillPath, mask }: MinimizeRequest): Promise<string | undefined> {
  if (!result.truncated) return result.output;
  if (result.artifactId === undefined || spillPath === undefined) return undefined;
  const raw = await readFile(spillPath, "utf8");
  return mask?.text(raw).text ?? raw;
}

/** The words of the command that wrote the output; none where more than one could have. */
function argvOf(command: string): string[] | undefined {
  const { ok, invocation } = analyzeCommand(command);
  return ok && invocation !== undefined ? [...invocation.argv] : undefined;
}

async function swap(request: MinimizeRequest, raw: string, minimized: MinimizedText): Promise<CommandResult> {
  const { result } = request;
  const outputBytes = Buffer.byteLength(minimized.text);
  // The footer costs as well: what is not shorter with it is not worth an artifact.
  if (outputBytes + FOOTER_BYTES >= Buffer.byteLength(raw) || outputBytes > request.window.maxBytes) return result;
  if (isOverLines(minimized.text, request.window)) return result;
  const id = result.artifactId ?? (await request.saveOriginal(raw));
  if (id === undefined) return result;
  // Line numbers of the raw output say nothing about the minimized text.
  const { shownRange: _, ...rest } = result;
  const separator = minimized.text === "" || minimized.text.endsWith("\n") ? "" : "\n";
  return {
    ...rest,
    output: `${minimized.text}${separator}[raw output: ${artifactUrl(id)}]`,
    truncated: false,
    outputBytes,
    outputLines: countLines(minimized.text),
    originalArtifactId: id,
    minimized: { filter: minimized.filter, inputBytes: Buffer.byteLength(raw), outputBytes },
  };
}

function choices(settings: MinimizerSettings, ruleFiles: string[]): MinimizerChoices {
  const only = settings["shellMinimizer.only"];
  const sourceOutlineLevel = settings["shellMinimizer.sourceOutlineLevel"];
  return {
    enabled: true,
    ...(only.length === 0 ? {} : { only: [...only] }),
    except: [...settings["shellMinimizer.except"]],
    // No `reference`: the footer below the text names the original, in the words of the specification.
    maxCaptureBytes: settings["shellMinimizer.maxCaptureBytes"],
    ...(sourceOutlineLevel === "off" ? {} : { sourceOutlineLevel }),
    ...(ruleFiles.length === 0 ? {} : { ruleFiles }),
  };
}
