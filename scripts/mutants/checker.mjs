/**
 * A checker for Stryker that lets only drawn mutants pass: Stryker itself cannot draw.
 *
 * It runs in processes that Stryker starts; `PI_BASH_MUTANTS` names a JSON file with the keys of the draw.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { CheckStatus } from "@stryker-mutator/api/check";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** What tells a mutant from all others of the same sources. Lines and columns are as in Stryker's API, from 0. */
export function mutantKey(file, { location, mutatorName, replacement }) {
  const { start, end } = location;
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutatorName} ${replacement}`;
}

class DrawnOnly {
  #drawn = new Set();

  async init() {
    this.#drawn = new Set(JSON.parse(readFileSync(process.env.PI_BASH_MUTANTS, "utf8")));
  }

  async check(mutants) {
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, this.#result(mutant)]));
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  #result(mutant) {
    if (this.#drawn.has(mutantKey(relative(process.cwd(), mutant.fileName), mutant))) {
      return { status: CheckStatus.Passed };
    }
    return { status: CheckStatus.CompileError, reason: "not drawn" };
  }
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, "drawn", () => new DrawnOnly())];
