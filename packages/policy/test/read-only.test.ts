/** The read-only tables: lines that must be recognised, as people write them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { runForReal } from "./support/bash-judge.ts";
import { scratchFolder } from "./support/scratch.ts";

const scratch = scratchFolder();

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

const LINES = [
  "ls",
  "ls -la src | head -20",
  "cat a.ts b.ts 2>/dev/null",
  "wc -l $(find . -name '*.ts')",
  "grep -rn 'TODO' src --include='*.ts' | wc -l",
  "egrep -c x f || echo none",
  "rg -n --type ts 'foo(bar)?' src -g '!dist'",
  'rg foo -- "$pattern"',
  "fd -e ts . src",
  "find . -type f -size +1M -printf '%p %s\\n' | sort -k2 -n -r | head",
  "find . \\( -name a -o -name b \\) -not -path './node_modules/*' -print0 | xargs -0 cat",
  "find . -name '*.md' -exec wc -l {} +",
  "find . -maxdepth 2 -newer f -exec sh -c 'head -1 \"$1\"' _ {} \\;",
  "sort -t, -k2,2n data.csv | uniq -c | sort -rn",
  "sort -u f; uniq -d f; shuf -n 3 f",
  "sed -n '1,20p' f",
  "sed -e 's/a/b/g' -e '/x/d' f",
  "sed -n '/start/,/end/{s|/|_|g;p}' f",
  "sed 's/[^a-z]/x/; y/abc/xyz/; $!d; 2q' f",
  "awk -F: '{ print $1, $NF }' f",
  "awk '{ print $1 }' *.log src/$x ~/f <(ls)",
  "awk 'NR > 1 && $3 >= 5 { s += $3 } END { print s / NR }' f",
  "awk '{ if (length($0) > 80) print FILENAME \": \" $0 }' f",
  "awk '/^#/ { next } { n[$1]++ } END { for (k in n) print n[k], k }' f",
  "jq -r '.scripts | keys[]' package.json",
  "jq --arg v \"$x\" '.a == $v' f",
  "date +%F; date -u -d '-1 day' '+%s'",
  "git status --porcelain=v1 -uno",
  "git --no-pager diff --stat HEAD~3 -- src",
  "git log --oneline -20 --author='me' --since=2.weeks",
  "git log -p -S'needle' -- src/a.ts",
  "git log --format='%h %s' --no-merges main..HEAD",
  "git show --name-only HEAD",
  "git blame -L 10,20 src/a.ts",
  "git branch -vv; git branch -a --contains HEAD; git branch --list 'feat/*'",
  "git tag -l 'v*' --sort=-creatordate; git remote -v; git remote get-url origin",
  "git config --get user.name; git config user.email; git config --list",
  "git rev-parse HEAD && git describe --tags --always",
  "git ls-files -m | wc -l; git ls-tree -r HEAD --name-only",
  "git grep -n -e foo -- '*.ts'",
  "git stash show -p; git worktree list; git reflog -5; git submodule status; git shortlog -sn HEAD",
  "git cat-file -p HEAD; git merge-base main HEAD; git for-each-ref --sort=-committerdate refs/heads",
  "[ -f package.json ] && echo yes || echo no",
  "[[ -d src && $x == y* ]] && ls src",
  'test -n "$x" -a -f y',
  "if [ -e a ]; then cat a; else echo none; fi",
  'for f in *.ts; do echo "$f"; wc -l "$f"; done',
  'while read -r line; do echo "$line"; done < f',
  'case "$1" in a) ls;; *) pwd;; esac',
  "(cd src && ls)",
  "{ ls; pwd; } | sort",
  "cd src && ls && pwd",
  "diff <(sort a) <(sort b)",
  "diff -u a b; cmp a b; comm -12 a b",
  'cat <<< "$x" | tr a-z A-Z',
  "cat <<'E'\n$(rm -rf /)\nE\n",
  "echo 'rm -rf /' \"; touch x\" \\; # rm",
  "echo $((1 + 2 * 3)) ${x:-default} ${#x} ${x%.ts} ${x/a/b} $?",
  "timeout 5 nice -n 10 env LC_ALL=C sort f",
  "LC_ALL=C TZ=UTC ls -l",
  "command -v node; type git; which -a python3",
  "bash -c 'ls; pwd'",
  "sh -c \"cat 'a b' | wc -c\"",
  "xargs -n1 echo < f",
  "ls | xargs -I{} echo {}",
  "ps aux | grep -v grep | grep node",
  "ps -eo pid,comm --sort=-pcpu | head",
  "ip -br addr; ip route show; ss -tlnp; netstat -an",
  "df -h; du -sh .; free -m; uptime; uname -a; nproc; id; whoami; hostname",
  "systemctl status nginx --no-pager; journalctl -u nginx --no-pager -n 50",
  "tar -tzf a.tgz; tar tvf a.tar; unzip -l a.zip; file -b a; stat a; xxd a | head; base64 -d a",
  "node --version; python3 -V; npm -v; gcc --version",
  "ls >/dev/null 2>&1; ls 2>&1 | cat; ls 2>&-",
  "sleep 1 &",
  "! grep -q x f",
  "time ls",
  "tee /dev/null < f",
  "dd if=f bs=1 count=4 status=none",
  "kill -0 1234; kill -l",
  "printf '%s\\n' a b",
  "tree -L 2 -I node_modules",
  "/bin/ls /usr/bin",
  "/usr/bin/timeout 5 /bin/bash -c 'ls'",
  'while IFS= read -r line; do echo "$line"; done < <(ls)',
  'while IFS=, read -r a b; do [ -n "$a" ] || continue; echo "$b"; break; done < f',
  'git log --author="$USER" --since="$d"',
  'sort --key="$k" f',
  "rg foo ~/src; sort ~/f; find ~ -name x",
  "[ $# -gt 0 ] && echo $?",
  "date -Iseconds; date -I",
  "yes | head -2",
  "comm -12 <(sort a) <(sort b)",
  'cat "$(<f)"',
  "printf '%s\\n' \"${a[@]}\" *.ts",
];

describe("read-only command lines", () => {
  it.each(LINES)("%s", (command) => {
    expect(classify(command, PLACE)).toMatchObject({ class: "readonly", findings: [] });
  });

  // The tables are those of the GNU programs, and the judge needs GNU `timeout`.
  it.skipIf(process.platform !== "linux")("change nothing when they run for real", () => {
    expect(runForReal(LINES, scratch).filter(({ changed }) => changed)).toEqual([]);
  });
});
