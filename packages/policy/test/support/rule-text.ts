/** What rules of all kinds make of a command line: which of them concern it, and what each covers where it allows. */
import { analyzeCommand } from "@pi-bash/command";
import { concerns, covers, coversWrite, redirectionsOf } from "../../src/rules/match.ts";
import { loadRules } from "../../src/rules/rule-file.ts";
import { PLACE } from "./danger-answer.ts";

/** One of each shape that a pattern may have, for programs that many lines have. */
const PATTERNS = [
  ...["rm **", "rm !-r **", "rm -rf *", "rm -f **", "rm * *", "rm --recursive * **", "grm **", "/bin/rm **"],
  ...[
    "git",
    "git push **",
    "git push !--force **",
    "git push --force **",
    "git {status,log} **",
    "git * main",
    "git **",
  ],
  ...["find **", "find * -name **", "find !-delete **", "find !-exec **", "xargs rm **", "xargs **"],
  ...["echo *", "echo **", "{cp,mv} **", "cp * /etc/*", "cp -r **", "./build*", "*.sh", "/usr/bin/*", "* --version"],
  ...["sudo **", "sudo rm **", "sudo !-u **", "env **", "bash -c *", "bash **", "sh **", "* -c **", "python3 -c **"],
  ...["curl **", "curl -o * **", "curl !-o **", "dd of=* **", "kill -9 **", "tar xf **", "make -C * **", "cd *"],
  ...["npm run {test,build}", "npm run test:*", "docker run !--privileged **", "cat {a,b} **", "ls -la", "* /"],
  ...["re:^rm ", "re:rm -rf /$", "re:^git (push|pull)", "re:[*]", "re:^(sudo )?dd "],
].map((pattern) => `Bash(${pattern})`);

const OTHERS = ["Bash", "Write(/etc/**)", "Write(build/**)", "Write(*.txt)", "Write(/dev/null)", "Write(**)"];
const VARIABLES = ["Env(X)", "Env(PATH)", "Env(GIT_*)", "Env(LD_*)", "Env(a)", "Env(IFS)"];

const { rules: RULES } = loadRules({ deny: [...PATTERNS, ...OTHERS, ...VARIABLES] }, "user");

/**
 * A row for each rule that is not plainly about something else: what it says where it restricts, and how many of the
 * commands and redirections it covers where it allows.
 */
export function ruleText(line: string): readonly string[] {
  const analysis = analyzeCommand(line);
  const redirections = redirectionsOf(analysis);
  return RULES.flatMap((rule): readonly string[] => {
    const answer = concerns(rule, analysis, PLACE.cwd);
    const unplaced = concerns(rule, analysis, undefined);
    const covered = analysis.effective.map((command) => (covers(rule, command) ? "y" : "n")).join("");
    const written = redirections.map((each) => (coversWrite(rule, each, PLACE.cwd) ? "y" : "n")).join("");
    if (answer === "no" && unplaced === "no" && !`${covered}${written}`.includes("y")) return [];
    const elsewhere = unplaced === answer ? [] : [`elsewhere ${unplaced}`];
    return [[rule.text, answer, ...elsewhere, covered, written].filter((part) => part !== "").join(" ")];
  });
}
