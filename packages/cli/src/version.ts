/** The version of this program, which is that of all our packages. */
import { readFileSync } from "node:fs";

/** Read from the package's manifest; `unknown` where that has none. */
export function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest ? String(manifest.version) : "unknown";
}
