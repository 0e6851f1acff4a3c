/**
 * The classes of lines that look like reading and are not, each in many spellings; and their honest neighbours.
 *
 * What makes a class is reported by its title. A new member belongs here, and its cause is mended for the class.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { caseClasses } from "./support/case-classes.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

const NOT_READ_ONLY = caseClasses("not-read-only.txt");

const READ_ONLY: readonly string[] = [
  "cat /proc/cpuinfo",
  "git config --list --show-origin; git config --get-all a.b; git config -l; git config --global --get user.name; git config list",
  "printf '%5.2f%%\\n' 3.2; printf '%d%%\\n' 5; printf -- '---\\n'",
  'for i in {1..5}; do echo "$i"; done; for f in {a,b}.ts; do cat "$f"; done',
  "git show --name-only --format= HEAD; git -P log -3",
  "jq '.include, .compilerOptions.include, .env' tsconfig.json; jq --slurpfile a b.json . f",
  "ps -aux | head; ps -auxww; ps -u root -o pid,comm; ps -ef -p 12; ps -eo pid,ppid,comm --sort=-pcpu",
  "bash -c '[[ -f a ]]'; sh -c ''; timeout 5 bash -c '((1))'",
  'rg foo "$HOME/x"; find "$HOME" -maxdepth 1; sort "$PWD/f"',
  "awk '{ print > \"/dev/stderr\" }' f",
  "zcat f.gz | head; gzip -dc f.gz; gunzip -c f.gz; xzcat f.xz",
  "ss -ltn 'sport = :3000'",
  "ack -i foo src; ack --type=js foo; locate -i foo; locate -n 5 foo; whereis -b ls",
  "bash --version; gcc -v",
  "bash -euo pipefail -c 'ls | head'",
  "cat /proc/$PPID/status",
  'cat "/proc/$pid/status"',
  "cat /proc/self/status /proc/meminfo",
  "ls /proc/1",
  "find / -name foo 2>/dev/null | head",
  "ls / && du -sh /tmp",
  "grep -rn environ src",
  "ps aux | grep node",
  "ps -p 12 -o pid,comm",
  "ps -ef --forest",
  'ps -o pid= -p "$pid"',
  'kill -0 "$pid"',
  "kill -0 12 %1; kill -l; kill -l 9",
  "systemctl; systemctl status nginx; systemctl list-units --type=service; systemctl is-active x",
  "ip a; ip -br addr show; ip route; ip link show dev eth0; ip -4 addr show lo",
  "ss -tln state listening; ss -tlnp sport = :22; ss -s",
  "sh -c 'ls | head -3'",
  "sh -c \"cat 'a b' | wc -c\"",
  "sh -c 'for f in a b; do cat \"$f\" 2>/dev/null; done'",
  "dash -c 'if [ -f a ]; then cat a; fi'",
  "bash -c 'echo $((1+2)) $'\\''x'\\'''",
  "zsh -c 'ls src'",
  "find src -name '*.ts' -exec grep -l foo {} +",
  "find . -type f -exec sed -n 1p {} \\;",
  "find src test -type f -exec awk 1 {} \\;",
  "find -name x -exec sort {} \\;",
  "find . -name '*.ts' | xargs grep -n foo",
  "find . -print0 | xargs -0 -n 10 -P 4 wc -l",
  "find . -print0 | xargs -0 -I{} grep x {}",
  "ls | xargs -I F cat -- F",
  "ls | xargs sort --",
  "rg -n -g '*.ts' foo src; rg -tpy -A3 -B 2 foo; rg --files -g '!x'; rg -uuu -l foo",
  "fd -e ts . src; fd -H -t f foo; fd -d2 foo; fd --type f --extension ts",
  "tree -L2; tree -aL 2 -I 'a|b'; tree -d --gitignore src; tree -P '*.ts' -L 1",
  "diff -ru a b; diff -u5 a b; diff -U 3 a b; diff -qr a b; diff --color=always -y -W 120 a b",
  "nm -DC lib.so; size -A x; readelf -aW x; objdump -d x; file -b x; file --mime-type x",
  "journalctl -u nginx -n 50; journalctl --since today -p err --no-pager -n50",
  "hostname; hostname -s; hostname -I",
  'date -d "$x" +%F; xxd -l 64 f; xxd -s 0x10 -c 16 f; xxd -p f',
  'git config --get-regexp "core.*"; git config core.editor',
  'for f in *.ts; do head -1 "$f"; done; for i in 1 2; do echo $i; done',
  'tar -tzf ./"$x"; tar -t --file=a.tar --verbose',
  'sed -n --expression=p -- "$f" 2>/dev/null; sed -n 1,5p -- "$f"',
];

describe.each(NOT_READ_ONLY)("%s", (_, lines) => {
  it.each(lines)("is not read-only: %s", (command) => {
    expect(classify(command, PLACE).class).not.toBe("readonly");
  });
});

describe("the honest neighbours of these classes", () => {
  it.each(READ_ONLY)("are read-only: %s", (command) => {
    expect(classify(command, PLACE)).toMatchObject({ class: "readonly", findings: [] });
  });
});
