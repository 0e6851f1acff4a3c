/** Other names of a program and of a subcommand: what a deny rule meets, what it leaves alone, what no rule covers. */
import { describe, expect, it } from "vitest";
import { decide } from "../../src/decide.ts";
import { loadRules, type RuleFile } from "../../src/rules/rule-file.ts";

function behavior(command: string, rules: RuleFile, mode: "default" | "yolo" = "yolo"): string {
  const place = { cwd: "/proj", workspace: "/proj", home: "/home/me", gitDangers: [] };
  return decide({ command, ...place, mode }, { ruleSets: [loadRules(rules, "user")] }).behavior;
}

describe("a deny rule for a subcommand of git", () => {
  const DENY = { deny: ["Bash(git push **)"] };

  it.each([
    "git-push",
    "git-push origin",
    "/usr/lib/git-core/git-push origin",
    "sudo git-push",
    "git.exe push",
    "git.exe -C . push",
    "git-push.exe",
    "'/mnt/c/Program Files/Git/cmd/git.exe' push",
  ])("denies another name of it: %s", (command) => {
    expect(behavior(command, DENY)).toBe("deny");
  });

  it.each([
    "git -c alias.p=push p origin",
    "git -c alias.p='push origin' p",
    "git -c 'alias.p=push --force' p",
    "git -c Alias.P=push p",
    "git -c alias.p='-C . push' p",
    "git -c alias.a='-c alias.b=push b' a",
    "git config alias.p push; git p",
    "git config --global alias.p 'push -f'",
    "git config set alias.p push",
    "git clone --config alias.p=push a",
    'git -c alias.p="$x" p',
    'git -c alias.p="push $x" p',
    `git -c alias.p='push ${"x".repeat(2_000)}' p`,
    "bash -c 'git -c alias.p=push p'",
    "npx git -c alias.p=push p",
  ])("asks about an alias that is it: %s", (command) => {
    expect(behavior(command, DENY)).toBe("ask");
  });

  it("reads the words behind the alias as the call's", () => {
    const rules = { deny: ["Bash(git push --force **)"] };

    expect(behavior("git -c alias.p=push p --force", rules)).toBe("ask");
    expect(behavior("git -c alias.p=push p origin", rules)).toBe("allow");
  });

  it("asks where aliases are too many to be read", () => {
    expect(behavior(`git ${"-c alias.a=log ".repeat(100)} a`, DENY)).toBe("ask");
  });

  it.each([
    "git -c alias.st=status st",
    "git -c alias.l='log --oneline' l push",
    "git config alias.st status",
    "git config alias.pu pull",
    "git config --get alias.p",
    "git config push.default simple",
    "git -c push.default=current fetch",
    "git log push",
    "git-lfs install",
    "git-push-all x",
    "git.exe status",
    "git subtree push --prefix d origin x",
    "cmd.exe /c npm run build",
    "powershell.exe -NoProfile -Command Get-ChildItem",
  ])("leaves other calls alone: %s", (command) => {
    expect(behavior(command, DENY)).toBe("allow");
  });
});

describe("a deny rule for a program", () => {
  it.each([
    "gls -l",
    "grep rm x",
    "ghc rm",
    "gsed -i s/a/b/ rm",
    "run0 systemctl restart nginx",
    "devcontainer exec --workspace-folder . npm test",
    "devcontainer up --workspace-folder .",
    "colima start --cpu 4",
    "colima ssh -- uname -a",
    "limactl delete rm",
    "orb list",
    "orbctl delete rm",
    "xterm -T rm",
    "xterm -e vim x",
    "gnome-terminal --tab -- htop",
    "kitty --hold vim",
    "kitty -T rm htop",
    "kitty +kitten icat a.png",
    "wezterm ls-fonts",
    "zellij run -- npm run dev",
    "zellij attach rm",
    "npx shx mkdir -p dist",
    "npx shx echo rm",
    "s6-setuidgid me node app.js",
    "snap remove rm",
    "launchctl remove rm",
    "launchctl kickstart -k gui/501/x",
    "crontab -l",
    "crontab -l | grep rm",
    "crontab jobs.txt",
    "systemd-nspawn -D rootfs ls",
    "sudo systemd-nspawn -bD rootfs",
    "arch-chroot /mnt pacman -S x",
  ])("lets an ordinary line run: %s", (command) => {
    expect(behavior(command, { deny: ["Bash(rm **)"] })).toBe("allow");
  });

  it("meets the name that it has itself", () => {
    expect(behavior("grm x", { deny: ["Bash(grm **)"] })).toBe("deny");
    expect(behavior("git-push", { deny: ["Bash(git-push)"] })).toBe("deny");
    expect(behavior("x.exe a", { deny: ["Bash(x.exe **)"] })).toBe("deny");
    expect(behavior("x a", { deny: ["Bash(x.exe **)"] })).toBe("allow");
    expect(behavior("rm x", { deny: ["Bash(grm **)"] })).toBe("allow");
  });
});

it("an allow rule covers no other name of what it names", () => {
  const allow = ["Bash(rm **)", "Bash(git push **)", "Bash(make)"];

  for (const command of ["grm x", "rm.exe x", "git-push", "git.exe push", "git -c alias.p=push p", "gmake"]) {
    expect(behavior(command, { allow }, "default"), command).toBe("ask");
  }
  expect(behavior("git push origin", { allow }, "default")).toBe("allow");
});
