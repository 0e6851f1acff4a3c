/** ssh, used by keys: it asks on the terminal itself, also for a password, and brings another terminal along. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { absenceOfServer, startSshServer, VISITOR } from "../support/ssh-server.ts";
import { KEY, openConsole } from "./pty-console.ts";

const absence = absenceOfServer();

/** A login that asks whatever can be asked, and takes nothing from the machine. */
async function login() {
  const { port, folder, home } = await startSshServer();
  const options = [
    "StrictHostKeyChecking=ask",
    `UserKnownHostsFile=${join(folder, "known-hosts")}`,
    "GlobalKnownHostsFile=/dev/null",
    "PreferredAuthentications=password",
    "UpdateHostKeys=no",
    "LogLevel=INFO",
  ];
  const words = options.map((option) => `-o ${option}`).join(" ");
  const ssh = openConsole({ command: `exec ssh -F none ${words} -p ${port} ${VISITOR.name}@127.0.0.1` });
  await ssh.shows("Are you sure you want to continue connecting");
  ssh.press("yes", KEY.enter);
  await ssh.shows(`${VISITOR.name}@127.0.0.1's password:`);
  return { ssh, home };
}

// It takes sshd, and namespaces in which the lists of users are the test's own.
describe.skipIf(absence !== undefined)(`ssh${absence === undefined ? "" : ` (skipped here: ${absence})`}`, () => {
  it("asks for a password until it is right, and is a terminal at the other end", async () => {
    const { ssh, home } = await login();
    ssh.press("wrong", KEY.enter);
    await ssh.shows("Permission denied, please try again.");
    await ssh.shows(/password:\n(?:.*\n)*.*password:/);
    ssh.press(VISITOR.password, KEY.enter);
    await ssh.shows(/^remote>$/m);
    ssh.press("pwd; stty size; tty", KEY.enter);
    await ssh.shows(home);
    await ssh.shows(/^24 80$/m);
    await ssh.shows(/^\/dev\/pts\/\d+$/m);
    ssh.terminal.resize(70, 20);
    ssh.session.resize(70, 20);
    ssh.press("until [[ $(stty size) == '20 70' ]]; do sleep 0.1; done; echo a\"\"nother size", KEY.enter);
    await ssh.shows(/^another size$/m);
    ssh.press("exit 5", KEY.enter);

    expect((await ssh.ended()).exitCode).toBe(5);
    expect(ssh.terminal.text()).toContain("Connection to 127.0.0.1 closed.");
    expect(ssh.raw()).not.toContain(VISITOR.password);
  });

  it("has its question ended by the interrupt key", async () => {
    const { ssh } = await login();
    ssh.press(KEY.interrupt);

    expect(await ssh.ended()).toMatchObject({ exitCode: 130, cancelled: false });
  });
});
