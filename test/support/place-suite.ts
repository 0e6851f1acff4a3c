/** A group of tests on places of one kind, which is skipped with its reason where there are none. */
import { afterAll, beforeAll, describe } from "vitest";
import { absenceOfPlace, type PlaceKind, startPlaces, type TestPlaces } from "./places.ts";

/** A place, a queue and a loaded machine may take so long for one test, in milliseconds. */
export const PLACE_LIMIT_MS = 90_000;

/** Makes the group; `tests` names its tests, and asks for the places when one of them runs. */
export function describeOn(kind: PlaceKind, what: string, tests: (places: () => TestPlaces) => void): void {
  const absence = absenceOfPlace(kind);
  const title = `${what} over ${kind}${absence === undefined ? "" : ` (skipped: ${absence})`}`;
  describe.skipIf(absence !== undefined)(title, { timeout: PLACE_LIMIT_MS }, () => {
    let places: TestPlaces | undefined;
    beforeAll(async () => {
      places = await startPlaces(kind);
    }, 2 * PLACE_LIMIT_MS);
    afterAll(() => places?.stop(), PLACE_LIMIT_MS);

    tests(() => {
      if (places === undefined) throw new Error("the places stand while tests run only");
      return places;
    });
  });
}
