/** What of docs/platforms.md does not depend on a run is what the next run writes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { NEEDS_SECTION, PLACES_TEXT, SIZE_SECTION } from "../../scripts/package/platforms-page.mjs";

const page = readFileSync(fileURLToPath(new URL("../../docs/platforms.md", import.meta.url)), "utf8");

describe("the page of platforms", () => {
  it.each([
    ["what an install weighs", SIZE_SECTION],
    ["what a target needs", NEEDS_SECTION],
    ["what is sent to places", PLACES_TEXT],
  ])("says %s as `npm run package -- --all` would write it", (_, section) => {
    expect(page).toContain(section);
  });
});
