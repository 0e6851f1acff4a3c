/** Fork bombs that an endless input feeds, and those that a line writes into a file and runs. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a line with an endless input", () => {
  it.each([
    "yes 'sleep 99 &' | sh",
    "yes 'sleep 99&' | cat | bash -s",
    "bash < <(yes 'sleep 99 &')",
    "yes 'sleep 99 &' > >(sh)",
    "yes ':(){ :|:& };:' | bash",
    "yes | xargs -P0 -I{} sleep 99",
    "yes | xargs -n 1 --max-procs=0 sleep",
    "yes | sudo xargs -P 0 -n1 sleep",
    "xargs -P0 -n1 sleep < <(yes)",
    "seq inf | xargs -P0 -n1 sleep",
    "cat /dev/zero | tr '\\0' '\\n' | xargs -P0 -I{} sleep 9",
    "yes | parallel -j0 sleep 99",
    "yes | xargs -I{} sh -c 'sleep 99 &'",
    "yes | while read x; do sleep 99 & done",
    "while read x; do sleep 99 & done < <(yes)",
    "while :; do echo; done | xargs -P0 -n1 sleep",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "yes | apt-get install x",
    "yes '' | sh configure",
    "yes n | bash install.sh",
    "yes ls | sh",
    "yes | head -5 | xargs -P0 -n1 sleep",
    "timeout 5 yes | xargs -P0 -n1 echo",
    "xargs -P0 -n1 sleep < <(timeout 5 yes)",
    "yes | xargs -P4 -n1 sleep",
    "seq 10 | xargs -P0 -n1 sleep",
    "while :; do sleep 60; echo x; done | xargs -P0 -n1 curl",
    "while read f; do echo $f; done < list | xargs -P0 -n1 gzip",
    "ls | xargs -P0 -n1 gzip",
    "yes --help | xargs -P0 -n1 echo",
    "yes | while read x; do sleep 1 & wait; done",
    'find . | while read f; do gzip "$f" & done; wait',
    "yes > /dev/null & sleep 5; kill $!",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("a line that writes a script and runs it", () => {
  it.each([
    "echo '$0&$0' > x; bash x",
    "printf '$0 &\\n$0\\n' > x.sh; sh ./x.sh",
    "cat > x.sh <<'E'\n$0 &\n$0 &\nE\nchmod +x x.sh; ./x.sh",
    "echo './x & ./x' > x; chmod +x x; ./x",
    "echo 'bash x | bash x &' > x; bash x",
    "echo ':(){ :|:& };:' >> x; source x",
  ])("is blocked where the script starts itself: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "echo '$0&$0' > x",
    "echo '$0&$0' > x; bash y",
    "echo 'echo $0' > x; bash x",
    "echo 'sleep 5 &' > x; bash x",
    "echo 'python3 app.py & npm start' > run.sh; bash run.sh",
    "echo '$0 & wait' > x; bash x",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
