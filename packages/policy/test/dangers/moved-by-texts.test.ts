/** Where a line goes by texts that it runs, by the stack of folders and by variables. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a line that removes where it went", () => {
  it.each([
    "source <(echo cd /); rm -rf *",
    ". /dev/stdin <<< 'cd /'; rm -rf *",
    "source /dev/stdin <<E\ncd /etc\nE\nrm -rf *",
    'eval "$(echo cd /)"; rm -rf *',
    "eval cd $(echo /) && rm -rf ./*",
    "X='cd /'; eval \"$X\"; rm -rf *",
    "d=/; source <(echo cd $d); rm -rf *",
    "dirs -c; pushd -n /; popd; rm -rf *",
    "pushd -n -- /; popd && rm -rf *",
    "pushd -n /; pushd; rm -rf *",
    "pushd /; pushd /tmp; popd; rm -rf *",
    "shopt -s cdable_vars; x=/; cd x; rm -rf *",
    "shopt -s cdable_vars; T=/etc; pushd T; rm -rf *",
    "bash -O cdable_vars -c 'x=/; cd x; rm -rf *'",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "cmd='cd /'; $cmd; rm -rf *",
    "pushd .; DIRSTACK[1]=/; popd; rm -rf *",
    "pushd -n /; pushd +1; rm -rf *",
    "pushd -n /; pushd -n /tmp; popd +1; popd; rm -rf *",
    "x=a; [ $y ] && x=b; shopt -s cdable_vars; cd x; rm -rf *",
    'X=a; [ $y ] && X=b; eval "cd $X"; rm -rf *',
  ])("cannot be decided: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    "pushd -n /; rm -rf *",
    "pushd /; popd; rm -rf *",
    "pushd build; rm -rf *; popd",
    "pushd -n /; popd -n; popd; rm -rf *",
    "pushd /; dirs -c; cd /tmp; popd; rm -rf *",
    "pushd -n /; dirs -c; popd; rm -rf *",
    'eval "$(ssh-agent)"; rm -rf *',
    'eval "$(echo cd build)"; rm -rf *',
    "eval \"$(echo '(cd /)')\"; rm -rf *",
    "source venv/bin/activate; rm -rf build/*",
    "$MAKE clean; rm -rf build/*",
    "source <(kubectl completion bash); rm -rf dist/*",
    "bash <(echo cd /); rm -rf *",
    "shopt -s cdable_vars; cd build; rm -rf *",
    "x=/; cd x; rm -rf *",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("a loop that reads", () => {
  it.each([
    'while read -r f; do rm -rf "$f"; done < <(find / -type d)',
    "while read f; do rm -rf $f; done <<< /",
    'while read -r f; do rm -rf "$f"; done <<E\n/\ndist\nE',
    'X=/; while read -r f; do rm -rf "$f"; done <<E\n$X\nE',
    '{ read f; rm -rf "$f"; } <<< /etc',
    '( read f; rm -rf "$f" ) < <(echo /etc)',
    'if read -r f; then rm -rf "$f"; fi <<< /',
    'while read -u 3 f; do rm -rf "$f"; done 3< <(find /)',
    "while read p; do kill $p; done < <(ps -eo pid=)",
    "for i in 1; do while read p; do kill $p; done; done < <(ps ax -o pid=)",
  ])("takes the redirection of its block, and is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    'while read -r f; do rm -rf "$f"; done < list',
    'while read -r f; do rm -rf "$f"; done < <(cat list)',
    'while read -r f; do rm -rf "$f"; done <<E\n$X\nE',
  ])("cannot be decided: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    'while read -r f; do rm -rf "$f"; done < <(find . -type d)',
    'while read -r f; do rm -rf "$f"; done <<< "build dist"',
    'while read -r f; do rm -rf "$f"; done <<E\nbuild\ndist\nE',
    "while read -r p; do kill $p; done < <(pgrep -f server)",
    "while read -r p; do kill $p; done < pids",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("the body of a function", () => {
  it.each([
    "f() { rm -rf *; }; cd /; f",
    'f() { rm -rf "$PWD"; }; cd /etc; f',
    "f() { cat x > sda; }; cd /dev && f",
    "f() { g; }; g() { rm -rf *; }; cd /; f",
    "f() { cd ..; rm -rf *; }; f() { rm -rf *; }; cd /; f",
  ])("runs where it is called: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it("asks where it is called in several folders, and is judged where it is defined if nothing calls it", () => {
    expect(answerOf("f() { rm -rf *; }; f; cd /; f")).toBe("undecided");
    expect(answerOf("cd /; f() { rm -rf *; }")).toBe("blocked");
  });

  it.each([
    "cd /; f() { rm -rf *; }; cd /tmp/x; f",
    "f() { rm -rf *; }; cd build && f",
    "f() { rm -rf dist; }; cd /srv/app && f; cd /srv/other && f",
    "cleanup() { rm -rf ./*; }; trap cleanup EXIT; cd /tmp/w",
  ])("says nothing where that is harmless: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
