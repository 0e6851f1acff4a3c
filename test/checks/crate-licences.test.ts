/**
 * The licences and sources of the crates, as `deny.toml` allows them: every platform's, also those of tests and build
 * scripts.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The only registry, as cargo writes it. */
const REGISTRY = "registry+https://github.com/rust-lang/crates.io-index";

/** A machine without the crates of other platforms fetches them. */
const METADATA_LIMIT_MS = 120_000;

interface Crate {
  name: string;
  version: string;
  license: string | null;
  source: string | null;
}

function foreignCrates(): Crate[] {
  const metadata = execFileSync("cargo", ["metadata", "--locked", "--format-version", "1"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: METADATA_LIMIT_MS,
  });
  return (JSON.parse(metadata) as { packages: Crate[] }).packages.filter(({ source }) => source !== null);
}

function allowedLicences(): Set<string> {
  const list = /^allow = \[([^\]]*)\]/m.exec(readFileSync(join(root, "deny.toml"), "utf8"))?.[1] ?? "";
  return new Set([...list.matchAll(/"([^"]+)"/g)].map(([, licence]) => licence ?? ""));
}

/**
 * Whether an SPDX expression can be met with these licences: one side of each OR, both of each AND. A slash is cargo's
 * old way to write OR.
 */
function isMet(expression: string, allowed: ReadonlySet<string>): boolean {
  const words = expression.replaceAll("/", " OR ").match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const either = (): boolean => {
    let met = both();
    while (words[at] === "OR") {
      at += 1;
      met = both() || met;
    }
    return met;
  };
  const both = (): boolean => {
    let met = one();
    while (words[at] === "AND") {
      at += 1;
      met = one() && met;
    }
    return met;
  };
  const one = (): boolean => {
    const word = words[at++] ?? "";
    if (word === "(") {
      const met = either();
      at += 1; // the closing one
      return met;
    }
    if (words[at] !== "WITH") return allowed.has(word);
    const exception = words[at + 1] ?? "";
    at += 2;
    return allowed.has(`${word} WITH ${exception}`);
  };
  return either() && at === words.length;
}

describe("licences of crates", () => {
  it("are understood as SPDX writes them", () => {
    const allowed = new Set(["MIT", "BSD-3-Clause", "Apache-2.0 WITH LLVM-exception"]);
    for (const met of ["MIT", "GPL-3.0 OR MIT", "Zlib/MIT", "(GPL-3.0 OR MIT) AND BSD-3-Clause"])
      expect(isMet(met, allowed), met).toBe(true);
    for (const unmet of ["GPL-3.0", "", "MIT AND GPL-3.0", "Apache-2.0", "(MIT OR GPL-3.0) AND Zlib", "MIT WITH X"])
      expect(isMet(unmet, allowed), unmet).toBe(false);
    expect(isMet("Apache-2.0 WITH LLVM-exception OR GPL-3.0", allowed)).toBe(true);
  });

  it(
    "are all allowed by deny.toml, and every crate comes from the registry",
    () => {
      const crates = foreignCrates();
      const allowed = allowedLicences();
      expect(crates.length).toBeGreaterThan(0);
      const refused = crates.filter(({ license }) => !isMet(license ?? "", allowed));
      expect(refused.map(({ name, version, license }) => `${name} ${version}: ${license ?? "no licence"}`)).toEqual([]);
      expect(crates.filter(({ source }) => source !== REGISTRY).map(({ name }) => name)).toEqual([]);
    },
    METADATA_LIMIT_MS,
  );
});
