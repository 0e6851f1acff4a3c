/**
 * `pi-bash settings`: what `--setting NAME=VALUE` can be, made from the contract's schema.
 */
import { jsonSchemaOf, Settings } from "@pi-bash/contract";
import { parseOptionWords } from "../option-words.ts";
import { SETTINGS_OPTIONS } from "../surface/options.ts";
import { SETTING_NAMES, settingsText, unknownSetting } from "../surface/settings.ts";
import { UsageError } from "../usage.ts";

/** Runs the words after `settings` and resolves with the exit status. */
export async function settings(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: SETTINGS_OPTIONS,
  });
  if (positionals.length > 1) throw new UsageError("`settings` takes one word");
  const [part = ""] = positionals;
  if (values.json && part !== "") throw new UsageError("`settings --json` takes no word: it prints the whole schema");
  const names = SETTING_NAMES.filter((name) => name.toLowerCase().includes(part.toLowerCase()));
  if (names.length === 0) throw new UsageError(unknownSetting(part));
  process.stdout.write(values.json ? `${JSON.stringify(jsonSchemaOf(Settings), null, 2)}\n` : settingsText(names));
  return 0;
}
