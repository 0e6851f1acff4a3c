/** Search commands of seed 003 that are seldom installed, so that no run of theirs judges them. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";

describe("a search command", () => {
  it.each([
    ["ack", "ack -i --type=js 'foo.*bar' src"],
    ["ack", "ack-grep -l foo"],
    ["locate", "locate -i -n 20 '*.conf'"],
    ["locate", "plocate --count passwd"],
    ["whereis", "whereis -b bash"],
  ])("%s only reads: %s", (_, command) => {
    expect(classify(command)).toMatchObject({ class: "readonly", concurrencySafe: true });
  });

  it.each([
    ["ack", "ack --pager='sh -c id' foo"],
    ["ack", "ack foo > found"],
    ["locate", "locate foo | xargs rm"],
    ["whereis", "whereis bash; touch x"],
  ])("%s does not cover what stands with it: %s", (_, command) => {
    expect(classify(command).class).not.toBe("readonly");
  });
});
