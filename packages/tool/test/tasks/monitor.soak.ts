/** A minute of matches, 20 a second, in real time. */
import { it } from "vitest";
import { floodInRealTime } from "../support/monitor-flood.ts";

it(
  "a watch tells of 20 matches a second for a minute in at most 40 events, and names every line (21)",
  floodInRealTime,
);
