/**
 * Lines that change something where nothing keeps them from it: files, processes, sockets, the session. Plain, behind the
 * wrappers of the differential harness, inside its shells and constructs, or handed over by `xargs`, `find` and `fd`.
 */
import type { Case } from "../../../packages/policy/test/differential/case.ts";
import { VICTIM } from "../../../packages/policy/test/differential/case.ts";
import { wrap } from "../../../packages/policy/test/differential/generate.ts";
import { draft, finish, spell } from "../../../packages/policy/test/differential/spell.ts";
import { pick, type Random, seededRandom } from "../../support/random.ts";

/** Programs with words, split at blanks; each changes the workspace, a process or the network. */
const PROGRAMS: readonly string[] = [
  "touch pwned",
  "touch -d @1 README.md",
  "touch -a -t 200001010000 src/a.ts",
  "rm -f README.md",
  "rm -rf src",
  "unlink log.txt",
  "rmdir special",
  "mkdir -p a/b",
  "mkfifo pipe",
  "mknod pipe p",
  "ln README.md hard",
  "ln -sf nowhere link",
  "ln -s /etc/passwd soft",
  "mv README.md moved",
  "mv src tests/",
  "cp README.md copied",
  "cp -a src more",
  "install -m 755 evil run-me",
  "dd if=/dev/zero of=README.md bs=1 count=1 conv=notrunc status=none",
  "truncate -s 0 data.csv",
  "truncate -s 1M big",
  "shred -n 1 log.txt",
  "tee -a log.txt",
  "sed -i s/foo/bar/ README.md",
  "sort -o data.csv data.csv",
  "split -b 2 data.csv part",
  "chmod 777 README.md",
  "chmod -R go-rwx src",
  "chown 1:1 README.md",
  "chgrp 1 README.md",
  "tar -xf a.tar -C src",
  "tar -cf new.tar src",
  "gzip log.txt",
  "gunzip -kf log.txt.gz",
  "unzip -o a.zip -d out",
  "patch -p0 -i README.md",
  "git init other",
  "git config user.name x",
  "git add -A",
  "git commit --allow-empty -qm x",
  "git checkout -q other",
  "git reset -q --hard HEAD~1",
  "git stash pop",
  "git tag v2",
  "git branch -D other",
  "git gc -q",
  "git clean -fdq",
  "git update-index --refresh",
  "git worktree add ../tree",
  "git -c core.fsmonitor=./evil status",
  "python3 -c open('pwned','w')",
  "perl -i -pe s/a/b/ data.csv",
  "perl -e unlink('README.md')",
  'awk BEGIN{print>"pwned"}',
  'awk BEGIN{system("touch pwned")}',
  "node -e require('fs').writeFileSync('pwned','')",
  "sh -c >pwned",
  "bash evil",
  "sh ./evil",
  "find . -name *.txt -delete",
  "find . -fprint pwned",
  "xargs -a list0 -0 rm -f",
  "rsync -a src/ copy/",
  "ed -s README.md",
  "ex -sc wq! README.md",
  `kill -USR1 ${VICTIM}`,
  `kill -STOP ${VICTIM}`,
  `renice -n 5 -p ${VICTIM}`,
  `prlimit --pid ${VICTIM} --nofile=99`,
  `taskset -p 1 ${VICTIM}`,
  `chrt -b -p 0 ${VICTIM}`,
  "ip link set lo down",
  "ip addr add 10.9.9.9/8 dev lo",
  "hostname changed",
  "sysctl -w kernel.hostname=changed",
  "curl -s http://x.evil.example/",
  "getent hosts x.evil.example",
];

/** Text of the shell that does so by itself. */
const TEXTS: readonly string[] = [
  "echo x > README.md",
  "echo x >> log.txt",
  ": > data.csv",
  "> pwned",
  "echo x >| src/a.ts",
  "echo x &> both",
  "exec 7<> README.md; echo x >&7",
  "exec {fd}> pwned; echo x >&$fd",
  "{ echo x; } > pwned",
  "cat > pwned <<E\nx\nE",
  "trap 'touch pwned' EXIT",
  "trap '> pwned' 0; exit 3",
  "(sleep 0.01; touch pwned) & wait",
  "coproc { touch pwned; }; wait",
  "echo x | tee pwned src/a.ts",
  "cat < /dev/null > >(tee pwned)",
  "echo x > /dev/udp/127.0.0.1/9",
  "exec 3<> /dev/tcp/127.0.0.1/40404",
  "PATH=/evil",
  "export LD_PRELOAD=./evil.so",
  "alias ls=rm",
  "function ls { rm -rf src; }",
  "set -o noclobber; shopt -s extglob",
  "umask 000",
  "enable -n echo",
  "declare -r HOME",
  "trap 'touch pwned' DEBUG",
  "cd src; rm -f a.ts",
  "pushd /tmp > /dev/null; touch pwned",
  "exec touch pwned",
  "exec -a x rm README.md",
  `kill -9 ${VICTIM}`,
  "kill -9 $$",
  "kill -TERM 0",
  "exit 7",
  "exec 1>&-; touch pwned",
  'while read -r one; do touch "$one.new"; done < README.md',
  'for one in *; do mv "$one" "$one.old"; done',
  "touch $TMPDIR/x && mv $TMPDIR/x pwned",
  "ln README.md $TMPDIR/$RANDOM && echo x > $TMPDIR/README.md",
  "printf '#!/bin/sh\\ntouch pwned\\n' > $TMPDIR/evil; sh $TMPDIR/evil",
  "echo x > /proc/self/cwd/pwned",
  "exec 3< README.md; echo x > /proc/self/fd/3",
  `echo 500 > /proc/${VICTIM}/oom_score_adj`,
  "echo changed > /proc/sys/kernel/hostname",
  "echo x > /dev/shm/pwned",
];

/** Lines without an end; the same seed makes the same ones. */
export function* writers(seed: number): Generator<Case> {
  const random = seededRandom(seed);
  for (;;) {
    if (random() < 0.35) yield { line: wrapped(pick(TEXTS, random), random) };
    else yield program(random);
  }
}

function program(random: Random): Case {
  const made = draft();
  const [name = "", ...words] = pick(PROGRAMS, random).split(" ");
  const line = [name, ...words.map((word) => spell(word, made, random))].join(" ");
  return finish(made, wrap(line, random));
}

/** A text with line ends in it is not put on a line with others. */
function wrapped(text: string, random: Random): string {
  return text.includes("\n") ? text : wrap(`{ ${text}; }`.replace(/&; }$/, "& }"), random);
}
