/** What never runs unasked asks as well where another program starts it: a launcher, an option, code. */
import { expect, it } from "vitest";
import { findUnasked } from "../../src/unasked/find-unasked.ts";

const kindsOf = (command: string) =>
  findUnasked({ command, cwd: "/w", workspace: "/w", home: "/home/me" }).map(({ code }) => code);

it.each([
  ["open-modes", "npx -c 'chmod -R 777 .'"],
  ["open-modes", "uv run chmod -R a+rwx dist"],
  ["open-modes", "rsync -e 'chmod -R 777 .' a b:"],
  ["open-modes", "git -c alias.z='!chmod -R 777 .' z"],
  ["open-modes", "nodemon --exec 'chmod -R 777 .'"],
  ["open-modes", "python3 -c 'import os; os.system(\"chmod -R 777 .\")'"],
  ["open-modes", 'node -e \'require("child_process").execFileSync("chmod", ["-R", "777", "."])\''],
  ["system-write", "ssh -o ProxyCommand='echo x >> /etc/hosts' h"],
  ["system-write", "concurrently 'echo x > /etc/hosts'"],
  ["system-write", "tar --to-command='tee /etc/x' -xf x"],
  ["system-write", "awk 'BEGIN { system(\"cp x /etc/hosts\") }'"],
  ["system-write", "perl -e '`echo x > /etc/hosts`'"],
  ["system-write", "vim -c '!tee /etc/x' f"],
])("%s: %s", (kind, command) => {
  expect(kindsOf(command)).toEqual([kind]);
});

it.each([
  "npx prettier --write .",
  "docker exec c chmod -R 777 /app",
  "kubectl exec p -- tee /etc/x",
  "docker run --rm x sh -c 'echo y > /etc/x'",
  'python3 -c \'import subprocess; subprocess.run(["cp", "/etc/hosts", "."])\'',
  "awk '{ print | \"sort -u > out\" }' f",
  "concurrently 'npm run a' 'npm run b > log'",
])("nothing of it is in: %s", (command) => {
  expect(kindsOf(command)).toEqual([]);
});
