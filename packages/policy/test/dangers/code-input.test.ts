/** Code, and lines for a shell, in what a program reads. What code holds is `code-texts.test.ts`'s. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are JavaScript's and the shell's
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a program that reads code", () => {
  it.each([
    "echo 'import os; os.system(\"rm -rf /\")' | python3",
    "printf 'import os\\nos.system(\"rm -rf /\")\\n' | sudo python3 -u - arg",
    "cat <<E | python3 -W ignore /dev/stdin\nos.system('rm -rf /')\nE",
    "python3 < <(echo 'os.system(\"rm -rf /\")')",
    'x=\'os.system("rm -rf /")\'; echo "$x" | python3 $args',
    "f() { python3; }; echo 'os.system(\"rm -rf /\")' | f",
    'echo \'require("child_process").execSync("rm -rf /")\' | node -r ts-node/register -',
    "echo 'system(\"rm -rf /\")' | perl -I lib -w",
    "echo 'system \"rm -rf /\"' | tee log | ruby",
    "echo '<?php system(\"rm -rf /\");' | php",
    "echo '<?php system(\"rm -rf /\");' | php -nf/dev/stdin",
    "echo '!rm -rf /' | ed f",
    "echo ':!rm -rf /' | vim -es f",
    "psql -U me db <<'E'\nselect 1;\n\\! rm -rf /\nE",
    "echo '\\! rm -rf /' | mysql db",
    "printf '.tables\\n.shell rm -rf /\\n' | sqlite3 x.db",
    "gdb -q a.out <<< 'shell rm -rf /'",
    "echo '!rm -rf /' | ftp host",
    "echo '!rm -rf /' | dc",
  ])("is blocked by a line for a shell in it: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "echo 'do not run `rm -rf /` here' | perl -pe 's/x/y/'",
    "perl -pe 's/x/y/' <<'E'\ndo not run `rm -rf /` here\nE",
    "ruby fix.rb <<'E'\ndo not run `rm -rf /` here\nE",
    "echo 'os.system(\"rm -rf /\")' | python3 -m pygments -l python",
    "echo 'os.system(\"rm -rf /\")' | python3 -Smpygments -",
    "echo 'os.system(\"rm -rf /\")' | python3 -S lint.py -",
    "echo 'os.system(\"rm -rf /\")' | php -f lint.php",
    "echo 'os.system(\"rm -rf /\")' | grep system",
    "echo 'execSync(\"rm -rf /\")' | node --eval 'process.stdin.pipe(process.stdout)'",
    "echo 'rm -rf /' | python3",
    "echo 'print(\"rm -rf /\")' | python3",
    "psql db <<'E'\nselect '\\! rm -rf /';\nE",
    "echo '!rm -rf /' | tee f",
    "sed s/a/b/ <<'E'\n1e rm -rf /\nE",
    "awk 1 <<'E'\nBEGIN { system(\"rm -rf /\") }\nE",
  ])("is not where its code stands elsewhere, or gives no shell a line: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
