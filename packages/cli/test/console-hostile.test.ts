/** `pi-bash console` with output and commands that attack the terminal, at widths that change. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { hostileText } from "../../renderer/test/hostile-text.ts";
import { expectRestored, KEY, person } from "./console-person.ts";

/** What the console itself writes: modes that it takes and gives back, places, erasing, colours put back. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: looks for exactly those
const OWN = /\x1b\[(?:\?(?:7|25|1049|1002|1006|2004|2026)[hl]|0?m|2?J|\d*[AC]|\d+;1H)/g;

it.each([1, 2])("no output leaks a sequence or moves the prompt, whatever it is (seed %i)", async (seed) => {
  const random = seededRandom(seed);
  const at = await person("", { cols: 80, rows: 24 });
  for (let round = 0; round < 6; round += 1) {
    const name = `round-${round}`;
    writeFileSync(join(at.folder, name), `${hostileText(random, 60)}\n${hostileText(random, 60)}`);
    const cols = 40 + Math.floor(random() * 160);
    at.resize(cols, 24);
    await at.does(`cat ${name}; echo; echo "call ${round}"`, new RegExp(`^ {2}│ call ${round}$`, "m"));
    await at.does(`!cat ${name}; echo; echo "own ${round}"`, new RegExp(`^ {2}│ own ${round}$`, "m"));
    expect(at.terminal.screen().filter((row) => row.includes("ctrl+d leaves"))).toHaveLength(1);
  }

  const leaked = at
    .raw()
    .replaceAll(OWN, "")
    .replaceAll(/[\r\n]/g, "");
  expect(/\p{Cc}.{0,20}/u.exec(leaked)).toBeNull();
  expect(at.terminal.isAlternateScreen).toBe(false);
  at.type(KEY.ctrlD);
  expect(await at.end()).toBe(0);
  expectRestored(at);
});
