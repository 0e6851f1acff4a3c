/** Command lines that stand where no command is expected: settings, remotes, tables for cron, options, aliases. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { decide } from "../../src/decide.ts";
import { loadRules } from "../../src/rules/rule-file.ts";
import { answerOf, PLACE } from "../support/danger-answer.ts";

const SETTING = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z";
const ALIASES = "shopt -s expand_aliases\n";

interface Lines {
  readonly blocked: readonly string[];
  readonly undecided?: readonly string[];
  readonly neither: readonly string[];
}

/** With `git push` in the place of what the lines above remove. */
const DENIED: readonly string[] = [
  "env -S 'git\\_push'",
  "env -S'git\\_push\\_-f'",
  "env -S '${X} push'",
  `${ALIASES}alias g=git\ng push`,
  `${ALIASES}alias g='git ' p=push\ng p`,
  `${SETTING} GIT_CONFIG_VALUE_0=push git z`,
  `${SETTING} GIT_CONFIG_VALUE_0='!git push' git z`,
  `env ${SETTING} GIT_CONFIG_VALUE_0=push git z`,
  `export ${SETTING} GIT_CONFIG_VALUE_0=push; git z`,
  `${SETTING} git z`,
  "GIT_CONFIG_PARAMETERS=\"'alias.z=push'\" git z",
  "GIT_CONFIG_PARAMETERS=\"'alias.z'='push'\" git z",
  "F=push git --config-env=alias.z=F z",
  "git --config-env=alias.z=F z",
  "git clone 'ext::git push'",
  "git clone 'ext::sh -c git% push'",
  'git clone "ext::$X"',
  "start-stop-daemon -S -x /usr/bin/git -- push",
  "busybox start-stop-daemon -S --exec=git -- push",
  "crontab <<< '* * * * * git push'",
  "echo '@reboot git push' | crontab -",
  "crontab <(echo '@reboot git push')",
  "ssh -o ProxyCommand='git push' x",
  "scp -oProxyCommand='git push' a b:c",
  "sftp -o ProxyCommand='git push' b",
  "rsync -e 'git push' a b:c",
  'rsync -e "$X" a b:c',
  "gdb -batch -ex 'shell git push'",
  "socat EXEC:'git push' -",
  "nc -e 'git push' x 1",
  "ncat --sh-exec 'git push' x 1",
  "busybox nc x 1 -e git push",
];

/** Under the same rule. */
const ALLOWED: readonly string[] = [
  "env -S 'node x.js'",
  "alias ll='ls -l'; ll",
  "git config alias.co checkout; git co x",
  "git clone https://host/repository",
  'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0="$N" git log',
  "crontab -l",
  "crontab jobs.txt",
  "ssh -o StrictHostKeyChecking=no -i key x ls",
  "ssh -o ProxyCommand='ssh -W %h:%p jump' x ls",
  "rsync -avz -e ssh a b:c",
  "rsync -avz -e 'ssh -p 22' a b:c",
  'rsync -avz -e "ssh -i $KEY -p 22" a b:c',
  "nc -zv localhost 80",
  "socat TCP-LISTEN:8080,fork TCP:localhost:80",
];

const CLASSES: Readonly<Record<string, Lines>> = {
  "a text that env splits": {
    blocked: [
      "env -S 'rm\\_-rf\\_/'",
      "env -S 'reboot\\_-f'",
      "env --split='rm\\_-rf\\_/'",
      "env -vS 'rm\\_-rf /'",
      "env -S 'rm\\t-rf\\t/'",
      "env -S 'rm -rf /\\c and more'",
      "env -S '\"r\"m -rf /'",
      "env -S 'X=1\\_rm\\_-rf\\_/'",
      "env -S '-C\\_/\\_rm\\_-rf\\_bin'",
      "env -S 'rm -rf' -v /",
      "env -S '-S \"rm\\_-rf\\_/\"'",
      "env -S 'sh -c \"rm\\_-rf\\_/\"'",
      "env -S 'rm -rf ${HOME}'",
      "X=/; env -S 'rm -rf ${X}'",
      "X=rm; env -S '${X} -rf /'",
      'X=/; env -S "rm\\_-rf\\_$X"',
      "env -S '${NOTHING} rm -rf /'",
      "echo 'rm\\_-rf\\_/' | xargs -I{} env -S {}",
    ],
    undecided: ["env -S 'rm -rf ${Y}/'", 'env -S "rm\\_-rf\\_$X"', `env -S 'rm\\_${"x".repeat(5_000)}'`],
    neither: [
      "env -S 'rm\\_-rf\\_build'",
      "env -S 'printf %s\\_rm\\_-rf\\_/'",
      "env -S 'ls # rm\\_-rf\\_/'",
      "env -S 'ls\\c rm -rf /'",
      "env -S \"echo 'a\\_b' \\$\"",
      "env -S 'node --title=\"a b\" x.js' a",
    ],
  },
  "an alias of the same text": {
    blocked: [
      `${ALIASES}alias z='rm -rf'\nz /`,
      `${ALIASES}alias z=rm\nz -rf /`,
      `${ALIASES}alias z='rm -rf ' y='-v ' x=/\nz y x`,
      `${ALIASES}alias z='cd /; rm -rf'\nz *`,
      `${ALIASES}alias q=rm\nalias z='true; q'\nz -rf /`,
      `${ALIASES}alias sudo='sudo ' z='rm -rf'\nsudo z /`,
      `${ALIASES}alias w='echo x >'\nw /dev/sda`,
      `${ALIASES}alias z=bash\necho 'rm -rf /' | z`,
      `${ALIASES}alias z='xargs rm -rf'\necho / | z`,
      `${ALIASES}alias z='rm -rf'\nX=/\nz $X`,
      `X='rm -rf'\n${ALIASES}alias "z=$X"\nz /`,
      `${ALIASES}eval "alias z='rm -rf'"\neval 'z /'`,
      "BASH_ALIASES[z]='rm -rf'\nz /",
      "BASH_ALIASES=([z]='rm -rf')\nz /",
      "declare BASH_ALIASES[z]='rm -rf'\nz /",
      "hash -p /bin/rm z; z -rf /",
      "hash -tp /bin/rm z; z -rf /",
      "hash -p/bin/rm y z; z -rf /",
      "X=/bin/rm; hash -p $X z; z -rf /",
      "hash -p /sbin/mkfs.ext4 z; z /dev/sda",
      "BASH_CMDS[z]=/bin/rm; z -rf /",
      "BASH_CMDS+=([z]=/bin/rm); z -rf /",
      "declare BASH_CMDS[z]=/bin/rm; z -rf /",
      "sh <<'E'\nalias z='rm -rf'\nz /\nE",
    ],
    undecided: [
      `${ALIASES}alias z='rm -rf'\nz "$Y"`,
      `${ALIASES}alias time='rm -rf'\ntime /`,
      `${ALIASES}alias z='{ rm -rf' e='}'\nz /; e`,
    ],
    neither: [
      "alias ll='ls -l'\nll /",
      "alias ls='ls --color' rm='rm -i'\nls /\nrm -rf build",
      `${ALIASES}alias z='rm -rf'\nz build\n'z' /\necho z /`,
      "alias a='b x' b='a y'\na 1",
    ],
  },
  "a setting of git in a variable": {
    blocked: [
      `${SETTING} GIT_CONFIG_VALUE_0='!rm -rf /' git z`,
      `${SETTING} GIT_CONFIG_VALUE_0='!rm -rf' git -C x z /`,
      `env ${SETTING} GIT_CONFIG_VALUE_0='!rm -rf' git z /`,
      `export ${SETTING}; export GIT_CONFIG_VALUE_0='!rm -rf'; git z /`,
      `declare -x ${SETTING} GIT_CONFIG_VALUE_0='!rm -rf'; bash -c 'git z /'`,
      "GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='rm -rf /' GIT_CONFIG_COUNT=1 git log",
      "GIT_CONFIG_PARAMETERS=\"'alias.z=!rm -rf'\" git z /",
      "export GIT_CONFIG_PARAMETERS=\"'a.b'='c' 'alias.z'='!rm -rf'\"; git z /",
      `X='!rm -rf /'; ${SETTING} GIT_CONFIG_VALUE_0="$X" git z`,
      "F='!rm -rf' git --config-env=alias.z=F z /",
      "git -c alias.z='!rm -rf' z /",
      "git -c alias.z='!f() { rm -rf \"$@\"; }; f' z /",
      "git config alias.z '!rm -rf'; git z /",
    ],
    undecided: [`export ${SETTING} GIT_CONFIG_VALUE_0='!rm -rf /'`, "export RSYNC_RSH='rm -rf /'"],
    neither: [
      "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' git log",
      `export ${SETTING} GIT_CONFIG_VALUE_0='!rm -rf'; git z build`,
      "git config alias.co checkout; git co /",
      "git -c alias.z='!echo' z /",
    ],
  },
  "a remote that is a command": {
    blocked: [
      "git -c protocol.ext.allow=always clone 'ext::rm -rf /'",
      "GIT_ALLOW_PROTOCOL=ext git ls-remote 'ext::sh -c rm% -rf% /'",
      "git -c remote.x.url='ext::rm -rf /' fetch x",
      "git -c url.'ext::rm -rf /'.insteadOf=foo: fetch foo:",
      "git archive --remote='ext::rm -rf /' HEAD",
      "git remote-ext x 'rm -rf /'",
      'X=/; git fetch "ext::rm -rf $X"',
    ],
    neither: ["git clone 'ext::ssh -i key host %S repository'", "git commit -m 'add ext::x'"],
  },
  "a program that a daemon is": {
    blocked: [
      "start-stop-daemon -S -x /bin/rm -- -rf /",
      "busybox start-stop-daemon --start --exec=/bin/rm -- -rf /",
      "start-stop-daemon -Sbmp /run/x -a /bin/rm / -- -rf",
      "start-stop-daemon -S --startas /bin/rm -- -rf /",
      "start-stop-daemon -S -d / -x /bin/rm -- -rf bin",
      "start-stop-daemon -S -x /bin/sh -- -c 'rm -rf /'",
      "X=/bin/rm; start-stop-daemon -S -x $X -- -rf /",
    ],
    neither: [
      "start-stop-daemon -S -x /bin/rm -- -rf build",
      "start-stop-daemon -S -d / -x /bin/rm -- -rf /tmp/x",
      "start-stop-daemon -K -p /run/x",
    ],
  },
  "a table for cron": {
    blocked: [
      "crontab <<< '* * * * * rm -rf /'",
      "echo '@reboot rm -rf /' | crontab -",
      "crontab -u me - <<E\n# x\nA=1\n*/5 1-3 * jan mon,tue sudo rm -rf /\nE",
      "(crontab -l; echo '0 4 * * 0 /sbin/reboot') | crontab",
      "crontab <(echo '@daily cd / && rm -rf *')",
      "crontab <<< '* * * * * sh%rm -rf /'",
      'X=/; echo "0 0 * * * rm -rf $X" | busybox crontab -',
    ],
    undecided: ['echo "@daily rm -rf $X" | crontab'],
    neither: [
      "echo '0 5 * * * rm -rf /tmp/cache' | crontab -",
      "echo '# * * * * * rm -rf /' | crontab -",
      "echo 'rm -rf /' | crontab",
      "crontab -l | grep 'rm -rf /'",
    ],
  },
  "an option that is a command line": {
    blocked: [
      "ssh -o ProxyCommand='rm -rf /' x",
      "ssh -o 'proxycommand \"rm -rf /\"' x ls",
      "ssh x -voLocalCommand='cd /; rm -rf *' ls",
      "ssh -o KnownHostsCommand='rm -rf /' x",
      "ssh -o 'Match exec \"rm -rf /\"' x",
      "ssh -o RemoteCommand='rm -rf /' x",
      "scp -oProxyCommand='rm -rf /' a b:c",
      "sftp -D 'rm -rf /' x",
      "rsync -ave 'sh -c \"rm -rf /\"' a b:c",
      "rsync --rsh 'rm -rf /' a b:c",
      'X=/; rsync -e "rm -rf $X" a b:c',
      "gdb -batch -ex 'shell rm -rf /'",
      "gdb --init-eval-command='!rm -rf /' x",
      "gdb -ex 'pipe p 1 | rm -rf /' x",
      "lldb -o 'platform shell rm -rf /'",
      "socat - exec:'rm -rf /',pty",
      "socat - 'SYSTEM:\"rm -rf /\"'",
      "nc -lvp 1 -c 'rm -rf /'",
      "ncat --sh-exec='rm -rf /' x 1",
      "busybox nc x 1 -e rm -rf /",
      "sshfs -o reconnect,ProxyCommand='rm -rf /' h: m",
      "hg --config alias.z='!rm -rf /' z",
      "hg clone --ssh 'rm -rf /' a b",
      "svn --config-option config:tunnels:x='rm -rf /' ls svn+x://h",
      "man -P 'rm -rf /' ls",
      "psql -c '\\! rm -rf /'",
      "mysql -e '\\! rm -rf /'",
      "sqlite3 db '.shell rm -rf /'",
      "split --filter='rm -rf /' f",
      "apt-get -o APT::Update::Pre-Invoke::='rm -rf /' update",
    ],
    undecided: ['ssh -o ProxyCommand="rm -rf $X" x'],
    neither: [
      "ssh -o ProxyCommand='ssh -W %h:%p jump' x ls",
      "ssh -o RemoteCommand=reboot build7",
      "rsync -avz --delete -e 'ssh -p 22' a b:c",
      "nc -zv localhost 80",
      "man -P cat ls",
      "psql -c 'select 1'",
      "sqlite3 db 'select 1' .tables",
      "split --filter='gzip > $FILE.gz' f",
      "apt-get -o Dpkg::Options::=--force-confold install x",
      "hg --config ui.username=x commit -m y",
      "socat TCP-LISTEN:8080,fork EXEC:/bin/cat,pty",
      "gdb -batch -ex run -ex 'shell ls' --args ./a",
    ],
  },
};

describe.each(Object.entries(CLASSES))("%s", (_, { blocked, undecided = [], neither }) => {
  it.each(blocked)("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(neither)("is not hard-blocked: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });

  it("is undecided where a value is not known", () => {
    for (const line of undecided) expect(answerOf(line), line).toBe("undecided");
  });
});

describe("under a rule that denies `git push`", () => {
  const ruleSets = [loadRules({ allow: ["Bash"], deny: ["Bash(git push **)"] }, "user")];
  const behavior = (command: string): string => decide({ command, ...PLACE, gitDangers: [] }, { ruleSets }).behavior;

  it.each(DENIED)("does not run: %s", (line) => {
    expect(behavior(line)).not.toBe("allow");
  });

  it.each(ALLOWED)("runs: %s", (line) => {
    expect(behavior(line)).toBe("allow");
  });
});
