/**
 * Tests of the suites that do not hold on a place, each with the reason. The mode `places` leaves them out; docs/places.md shows
 * the list. A name is the beginning of a test's title.
 */

/** Left out on every place. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "VO-06":
    "a spill has a name on a place, not a path of this machine; crates/pi-host tests what its folder does to a run",
  "RS-01 gets its own directory": "a session begins where the transport starts programs, not in this host's folder",
  "BG-04": "late output goes to the spill over there, which is read by range; a suite waits for a file here",
};

/** A pattern of titles that has none of them. */
export function withoutDifferences(): RegExp {
  return new RegExp(`^(?!.*(?:${Object.keys(EVERYWHERE).join("|")})).*$`, "s");
}
