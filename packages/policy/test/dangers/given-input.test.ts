/** What a program is given as its input: items that end with NUL, and inputs beside those of other descriptors. */
import { expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

it.each([
  "printf '/\\0' | xargs -0 rm -rf",
  "printf '%s\\0' a / | xargs -0 rm -rf",
  "printf '%s\\0' a / | xargs -d '\\0' -I{} rm -rf {}",
  "printf 'ls\\0rm -rf /\\0' | xargs -0 -I{} sh -c '{}'",
  "{ bash 3< f; } < <(echo 'rm -rf /')",
  "echo 'rm -rf /' | { bash 3< f 4< g; }",
  "yes 'rm -rf /' | bash 3< f",
  "yes 'x &' | bash 3< f",
])("counts: %s", (line) => {
  expect(answerOf(line)).toBe("blocked");
});

it.each([
  "printf 'a\\0b\\0' | xargs -0 -I{} sh -c 'rm -rf {}'",
  "{ bash < f; } < <(echo 'rm -rf /')",
  "{ bash 3< f; } < <(echo 'rm -rf dist')",
  "yes | bash -c 'read x' 3< f",
])("is nothing else: %s", (line) => {
  expect(answerOf(line)).toBe("neither");
});

// `$(…)` passes over a NUL and `xargs -0` does not, so that one in the middle leaves open what is removed.
it.each([
  "printf 'a\\0/\\0' | xargs -0 rm -rf",
  "printf 'a\\0/' | xargs --null rm -rf",
  "printf '%s\\0/\\0' a | xargs -0 rm -rf",
  "printf 'a\\0/\\0' | xargs -0 -I{} rm -rf {}",
  "printf 'a\\0/\\0' | xargs -d '\\0' rm -rf",
])("cannot be decided: %s", (line) => {
  expect(answerOf(line)).toBe("undecided");
});
