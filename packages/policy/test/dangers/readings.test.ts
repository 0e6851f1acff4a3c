/** How the words of a line are read before a judge sees them: operands, substitutions, here-documents, inputs. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a line", () => {
  it.each([
    "cd /etc; rm -r -- -x",
    "cat <> /dev/sda",
    "killall --regexp .",
    "rm -rf $(echo a) $(echo b) $(echo c) $(echo d) $(echo e) $(echo f) $(echo g) $(echo /)",
    'read x <<< "a /"; rm -rf $x',
    'read x <<< "a:/"; rm -rf $x',
    // A name that ends in a digit is not an argument of the line.
    "X1=/; rm -rf $X1",
    "X10=/; rm -rf $X10",
    "set -- /; rm -rf $*",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(["cd $Y; rm -rf ./", "cd $Y; rm -rf .//*"])("cannot be decided: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    // An option is not an operand, also where `--` stands behind it.
    "cd /etc; rm -r -- /opt/x",
    "cd /etc; rm -- -r /opt/x",
    "X1=a; rm -rf $X1",
    "cd $Y; rm -rf x/",
    "cat <&/dev/sda",
    "cat < /dev/sda",
    "cat <<< /dev/sda",
    "cat <<-/dev/sda\nx\n/dev/sda",
    "killall --regexpx .",
    // Any number of substitutions beside each other is read.
    "rm -rf $(echo a) $(echo b) $(echo c) $(echo d) $(echo e) $(echo f) $(echo g) $(echo h)",
    // Blanks between words are not words.
    'read x <<< "a  b"; rm -rf "/$x"',
    'read x <<< "a : b"; rm -rf "/$x"',
  ])("is not hard-blocked: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
