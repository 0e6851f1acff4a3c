/** The bounds and lists of "Network by domain" in `docs/sandbox.md` are those of the code. What it says of programs: `network.test.ts`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Settings } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
const PAGE = read("docs/sandbox.md");
const SECTION = PAGE.slice(PAGE.indexOf("## Network by domain"), PAGE.indexOf("## What was refused"));
/** On one line, as the page breaks them. */
const TEXT = SECTION.replaceAll(/\s+/g, " ");

/** The number of a constant of Rust in the crate of the proxy, whatever its unit. */
function numberOf(file: string, constant: string): string {
  const source = read(`crates/pi-proxy/src/${file}`);
  const pattern = new RegExp(`const ${constant}: \\w+ = (?:Duration::from_secs\\()?([\\d_]+)(?:\\)| \\* 1024)?;`);
  return (pattern.exec(source)?.[1] ?? `no ${constant}`).replaceAll("_", "");
}

describe("the page has", () => {
  it.each([
    ["MAX_RULES", "rules.rs", "at most % rules"],
    ["MAX_KEPT", "refusals.rs", "each once, at most %:"],
    ["MAX_CONNECTIONS", "server.rs", "% connections at one time"],
    ["MAX_HEAD_BYTES", "http/mod.rs", "at most % KiB"],
    ["MAX_FIELDS", "http/mod.rs", "and % fields"],
    ["RESOLVE_BOUND", "outside.rs", "% s are waited for a name"],
    ["CONNECT_BOUND", "outside.rs", "% s for an address"],
    ["FIRST_BYTE_BOUND", "server.rs", "% s for the first byte"],
    ["HELLO_BOUND", "tunnel.rs", "% s for the first byte and for the first message of TLS"],
    ["HEAD_BOUND", "http/mod.rs", "% s for a head"],
    ["IDLE_BOUND", "server.rs", "nothing passes for % s"],
  ])("the bound %s", (name, file, words) => {
    expect(TEXT).toContain(words.replace("%", numberOf(file, name)));
  });

  it("the variables that are set, and where the proxy listens", () => {
    const source = read("crates/pi-shell/src/proxy_variables.rs");
    const lists = [...source.matchAll(/^const (?:ADDRESSES|EXCEPTIONS|NODE_SWITCH): [^=]*= ([^;]*);/gm)];
    const names = lists.flatMap(([, list = ""]) => [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name));

    expect(names).toHaveLength(11);
    for (const name of names) expect(TEXT).toContain(name.toUpperCase());
    const address = read("crates/pi-sandbox/src/confinement.rs");
    expect(address).toContain("SocketAddrV4::new(Ipv4Addr::LOCALHOST, 3128)");
    expect(TEXT).toContain("`127.0.0.1:3128`");
  });

  it("settings that are settings", () => {
    const [, text = ""] = /const settings = (\{[^;]*\});/.exec(SECTION) ?? [];
    const settings: unknown = JSON.parse(
      text
        .replaceAll(/(\w+):(?= )(?!")/g, '"$1":')
        .replaceAll(/,(\s*\})/g, "$1")
        .replaceAll('""', '"'),
    );

    expect(Settings.parse(settings)).toMatchObject(settings as object);
  });
});
