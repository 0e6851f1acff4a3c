/** The lists of names that the executor withholds have all that the engine leaves out or refuses by itself. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isControlVariable, isRefusedName } from "../src/environment/control-names.ts";

const source = readFileSync(new URL("../../../crates/pi-shell/src/environment.rs", import.meta.url), "utf8");

/** The names of one of the engine's lists. */
function listed(name: string): string[] {
  const body = new RegExp(`^const ${name}: \\[&str; (\\d+)\\] = \\[([^\\]]*)\\];`, "m").exec(source);
  const names = [...(body?.[2] ?? "").matchAll(/"([^"]+)"/g)].map(([, found]) => found ?? "");
  expect(names).toHaveLength(Number(body?.[1]));
  return names;
}

it("withholds every name that the engine leaves out of a session", () => {
  expect(listed("DROPPED").filter((name) => !isControlVariable(name, "x"))).toEqual([]);
});

it("refuses every name that the engine refuses for a command", () => {
  expect(listed("REFUSED").filter((name) => !isRefusedName(name))).toEqual([]);
});
