/**
 * Rules against disguises: what a deny rule must not let through, what an allow rule must not cover, and what an
 * ordinary line may do all the same.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { decide, type PolicyRequest } from "../src/decide.ts";
import { loadRules, type RuleFile } from "../src/rules/rule-file.ts";
import { caseClasses } from "./support/case-classes.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me", gitDangers: [] };

function behavior(command: string, rules: RuleFile, more: Partial<PolicyRequest> = {}): string {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules(rules, "user")] }).behavior;
}

const DISGUISES = [...caseClasses("denied-rm.txt"), ...caseClasses("launched-rm.txt")];

describe.each(DISGUISES)("a deny rule meets %s", (_, lines) => {
  it.each(lines)("in yolo: %s", (command) => {
    expect(behavior(command, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).not.toBe("allow");
    expect(behavior(command, { deny: ["Bash(rm **)"] }, { mode: "yolo", interactive: false })).toBe("deny");
  });

  it.each(lines)("and so does `blockedCommands`: %s", (command) => {
    const config = { blockedCommands: ["terraform apply", "rm"] };

    expect(decide({ command, ...PLACE, mode: "yolo" }, config).behavior).not.toBe("allow");
  });

  it("runs in yolo where no rule restricts", () => {
    for (const command of lines.filter((line) => !/[{$*?]/.test(line)).slice(0, 5)) {
      expect(behavior(command, {}, { mode: "yolo" }), command).toBe("allow");
    }
  });
});

it("`blockedCommands` leaves ordinary lines alone", () => {
  for (const command of ["./build.sh", "bash build.sh", "make", 'git log "$x"', "ls | xargs cat", "find . -name rm"]) {
    const config = { blockedCommands: ["rm", "git push --force"] };

    expect(decide({ command, ...PLACE, mode: "yolo" }, config).behavior, command).toBe("allow");
  }
});

describe("a deny rule", () => {
  it.each([
    "./build.sh",
    "bash build.sh",
    "make all",
    "npm install",
    '"$DIR"/build.sh --all',
    "~/bin/tool x",
    "node x.js",
    "git rm x",
    "echo rm",
    "grep -rn rm src",
    "timeout 5 make",
    "find . -name '*.o' -print",
    'echo "$x" | grep y',
    "ls | xargs grep rm",
    "env A=1 make",
    "npm run rm",
    "nice -n 5 make rm",
    "for f in a b; do echo $f; done",
    "source ./env.sh",
  ])("lets an ordinary line run in yolo: %s", (command) => {
    expect(behavior(command, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).toBe("allow");
  });

  it.each([
    ["Bash(git push)", "git push"],
    ["Bash(git push)", "git push $x"],
    ["Bash(git push)", "git $x"],
    ["Bash(git push)", "git $x push"],
    ["Bash(git push)", "git pus{h,}"],
    ["Bash(git push)", "git p*"],
    ["Bash(git push)", "echo push | xargs git"],
    ["Bash(git push)", "xargs git push"],
    ["Bash(git push)", 'git "pu$x"'],
    ["Bash(git push --force **)", 'git push "--for$x"'],
    ["Bash(git push --force **)", "git push $x"],
    ["Bash(git push --force **)", "xargs git push origin"],
    ["Bash(rm x y)", "rm *"],
    ["Bash(rm x y)", "rm x{,} y"],
  ])("%s counts words that may be several, or none: %s", (rule, command) => {
    expect(behavior(command, { deny: [rule] }, { mode: "yolo" })).not.toBe("allow");
  });

  it.each([
    ["Bash(git push)", "git status"],
    ["Bash(git push)", 'git commit -m "$x"'],
    ["Bash(git push)", 'git log "$x"'],
    ["Bash(git push)", "git push origin"],
    ["Bash(git push --force **)", "git push origin refs/heads/*"],
    ["Bash(git push --force **)", "git fetch $x"],
    ["Bash(npm publish **)", 'npm "run-$x"'],
  ])("%s leaves alone what cannot be it: %s", (rule, command) => {
    expect(behavior(command, { deny: [rule] }, { mode: "yolo" })).toBe("allow");
  });
});

describe("a launcher", () => {
  const DENY = { deny: ["Bash(rm **)", "Bash(git push **)", "Bash(terraform destroy **)"] };

  it.each([
    "npx vitest run",
    "npx -y prettier --check .",
    "npx jest -t 'a (b) [c]'",
    "npx tsc -p $DIR",
    "npm exec tsc",
    "npm exec -- eslint src --fix",
    "npm run rm",
    "npm rm left-pad",
    "npm x -c 'tsc && eslint .'",
    "pnpm exec vitest",
    "pnpm rm lodash",
    "yarn workspace app exec tsc",
    "bunx biome check .",
    "uv run pytest",
    "uv run --with pytest pytest -k 'rm or x'",
    'uv run python -c "print(1)"',
    "poetry run python x.py",
    "conda run -n x pytest",
    "conda install rm",
    "bundle exec rspec",
    "docker exec c ls",
    "docker exec -it c bash",
    "docker run -it --rm ubuntu bash",
    'docker run --rm -v "$PWD":/x -w /x node:20 npm test',
    "docker run --rm -v $PWD:/x -e TAG=$TAG img make",
    "docker rm c",
    "docker container rm c",
    "docker compose rm -f",
    "docker compose exec db psql -c 'select 1'",
    "docker compose up -d",
    "kubectl exec p -- ls /",
    "kubectl get pods",
    'kubectl logs "$POD"',
    "git bisect log",
    "git bisect run make test",
    "git rm x",
    "git submodule foreach 'git fetch'",
    "git rebase -x 'npm test' main",
    "git -c user.name='rm x' commit -m 'rm x'",
    "git log --grep 'rm x'",
    'git commit -m "$MSG"',
    "git config alias.st status",
    "git worktree remove x",
    "nix develop",
    "nix-shell -p jq --run 'jq . f'",
    "ip -br addr",
    "ip netns exec a ping -c1 h",
    "dotenv -e .env -- npm start",
    "cross-env NODE_ENV=test jest",
    "concurrently 'npm:a' 'npm:b'",
    "nodemon --exec 'ts-node x.ts'",
    "go test ./...",
    "mise install",
    "arch",
  ])("runs an ordinary line in yolo, whatever rules deny: %s", (command) => {
    expect(behavior(command, DENY, { mode: "yolo" })).toBe("allow");
    expect(decide({ command, ...PLACE, mode: "yolo" }, { blockedCommands: ["rm", "git push"] }).behavior).toBe("allow");
  });

  it.each([
    ["Bash(npx vitest *)", "npx vitest run"],
    ["Bash(npx **)", "npx vitest run"],
    ["Bash(npm exec tsc)", "npm exec tsc"],
    ["Bash(uv run pytest)", "uv run pytest"],
    ["Bash(uv run **)", "uv run --with x pytest -k y"],
    ["Bash(docker exec c ls)", "docker exec c ls"],
    ["Bash(docker **)", "docker run --rm img make"],
    ["Bash(kubectl exec **)", "kubectl exec p -- ls"],
    ["Bash(git bisect **)", "git bisect run make test"],
    ["Bash(git submodule **)", "git submodule foreach 'git fetch'"],
    ["Bash(conda run -n x pytest)", "conda run -n x pytest"],
    ["Bash(bundle exec **)", "bundle exec rspec"],
    ["Bash(nodemon **)", "nodemon --exec 'ts-node x.ts'"],
    ["Bash(ip **)", "ip netns exec a ls"],
  ])("is covered by a rule for its own words: %s, %s", (rule, command) => {
    expect(behavior(command, { allow: [rule] })).toBe("allow");
  });

  it.each(["npx vitest", "docker exec c ls", "uv run pytest", "git bisect run make", "conda run -n x ls"])(
    "is not covered by a rule for what it starts: %s",
    (command) => {
      expect(behavior(command, { allow: ["Bash(vitest)", "Bash(ls)", "Bash(pytest)", "Bash(make)"] })).toBe("ask");
    },
  );

  it("reads as before: what it starts is not a command of the line to the tables", () => {
    for (const command of ["git status", "git log -3", "ip addr", "arch", "git -c core.pager=cat log"]) {
      expect(behavior(command, {}), command).toBe(command.includes("-c") ? "ask" : "allow");
    }
  });
});

describe("an allow rule", () => {
  const RULES = { allow: ["Bash(npm test:*)", "Bash(git push origin)", "Bash(make)"] };

  it.each([
    "cd /evil && npm test",
    "cd .. && npm test",
    "cd && npm test",
    "cd ~ && npm test",
    'cd "$x" && npm test',
    "cd - && npm test",
    "pushd /evil; npm test",
    "popd; npm test",
    "(cd /evil; npm test)",
    "cd /evil; cd /proj; npm test",
    "cd sub/../.. && npm test",
    "cd /projx && npm test",
    "find / -execdir npm test \\;",
    "find . -execdir make \\;",
    "find . -okdir make \\;",
    "env -C /evil npm test",
    "sudo -D /evil npm test",
  ])("does not cover another folder: %s", (command) => {
    expect(behavior(command, RULES)).toBe("ask");
  });

  it("does not cover a call that starts outside of the workspace", () => {
    expect(behavior("npm test", RULES, { cwd: "/evil" })).toBe("ask");
    expect(behavior("npm test", RULES, { cwd: "/proj/packages/a" })).toBe("allow");
  });

  it("covers folders of the workspace, and others where it says so", () => {
    const rules = { allow: ["Bash(npm test:*) in /srv/app/**", "Bash(make) in **"] };

    expect(behavior("cd packages/a && npm test", RULES)).toBe("allow");
    expect(behavior("cd /srv/app && npm test", rules)).toBe("allow");
    expect(behavior("cd /srv/app/x && npm test -- -t y", rules)).toBe("allow");
    expect(behavior("cd /srv/application && npm test", rules)).toBe("ask");
    expect(behavior("cd /srv && npm test", rules)).toBe("ask");
    expect(behavior("cd /evil && make", rules)).toBe("allow");
    expect(behavior("npm test", rules)).toBe("allow");
    expect(behavior("find . -execdir make \\;", rules)).toBe("ask");
  });

  it.each([
    "ls | xargs git push origin",
    "ls | xargs -n1 git push origin",
    "ls | xargs nice git push origin",
    "ls | xargs -I X git push X",
    "ls | xargs -I X git X origin",
    "find . -exec git push origin {} \\;",
    "find . -exec git push origin {} +",
    "fd -x git push origin",
    "git push origin $x",
    "git push origin *",
    "git push {origin,x}",
    "git push origin{,x}",
    'git push "$x"',
  ])("of exact words does not cover added ones: %s", (command) => {
    expect(behavior(command, RULES)).toBe("ask");
  });

  it.each([
    `sh -c "npm test \\$'\\\\'; touch x; #'"`,
    `dash -c "npm test \\$'\\\\'; touch x; #'"`,
    "zsh -c 'npm test *(e:x:)'",
    'bash -c "npm test; $x"',
    "echo 'npm test' | bash",
    "bash <<< 'npm test'",
    "env -S 'npm test'",
    "nice -z npm test",
    "sudo npm test",
    "tmux new 'npm test'",
    "npm test $(rm x)",
    "$x npm test",
  ])("does not cover what a wrapper may make of it: %s", (command) => {
    expect(behavior(command, RULES)).toBe("ask");
  });
});

describe("a rule with `in`", () => {
  it.each([
    ["deny", "Bash(npm test) in /srv"],
    ["ask", "Bash in **"],
    ["allow", "Write(x) in /srv"],
    ["allow", "Bash(npm test) in srv"],
    ["allow", "Bash(npm test) in"],
  ] as const)("is refused where it cannot be meant: %s %s", (kind, rule) => {
    expect(loadRules({ [kind]: [rule] }, "user").problems).not.toEqual([]);
  });
});
