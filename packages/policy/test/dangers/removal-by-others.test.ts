/** Programs that remove whole folders beside what they are for. */
import { expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

it.each([
  "cmake -E rm -rf /",
  "cmake -E rm -R -- /usr",
  "cmake -E remove_directory /etc",
  "cmake -E rename /usr /old",
  "cd / && cmake -E rm -r usr",
  "7z a -sdel x.7z /",
  "7zz a x.7z /home/me -sdel",
  "rar m x.rar /usr",
  "rar a -df x.rar ~",
  "wipe -rf /",
  "wipe -r -q ~",
])("is blocked: %s", (line) => {
  expect(answerOf(line)).toBe("blocked");
});

it.each([
  "cmake -E rm -rf build",
  "cmake -E rm /usr",
  "cmake -E remove_directory build",
  "cmake -E rename a b",
  "cmake -E make_directory /usr",
  "cmake --build build",
  "7z a x.7z /usr",
  "7z a -sdel x.7z dist",
  "rar a x.rar /usr",
  "rar m x.rar dist",
  "wipe -rf build",
  "wipe ~",
])("is not: %s", (line) => {
  expect(answerOf(line)).toBe("neither");
});
