// What a session does with the bash driver and without it, as an agent's author sees it. Run by `npm run package` in a
// folder where only the packed packages are installed: `with` as the word where the driver's is among them, `without`
// where it was left out, `either` where it depends on the bash. Its last line is `driven: {…}`.
import assert from "node:assert/strict";
import { driverInfo, Shell } from "@pi-bash/natives";

const [expected] = process.argv.slice(2);
const shell = new Shell({ cwd: process.cwd() });
const run = async (command) => {
  const { exitCode, output } = await shell.run({ command, sink: {} });
  return { exitCode, text: output.text };
};

let found;
try {
  const begun = await run('cd /; place=kept; leave() { local place=inner; exit 3; }; exec 7</dev/null; echo "$$"');
  assert.deepEqual([begun.exitCode, driverInfo().state !== "untried"], [0, true]);
  assert.equal((await run("leave")).exitCode, 3, "the status of an `exit` in a function");
  const left = await run('echo "$PWD $place $(type -t leave)"');
  assert.deepEqual(left, { exitCode: 0, text: "/ kept function\n" }, "the state after an `exit` in a function");
  found = driverInfo();
  if (expected === "with") assert.equal(found.state, "fits", found.reason);
  if (expected === "without") assert.equal(found.state, "absent");
  if (found.state === "fits") {
    const same = await run('[[ -e /proc/$$/fd/7 ]] && echo "$$"');
    assert.equal(same.text, begun.text, "over the driver the shell itself lives on, with its descriptors");
  } else {
    assert.notEqual(found.reason ?? "", "", "why there is no driver in use");
  }
} finally {
  await shell.close();
}
process.stdout.write(`driven: ${JSON.stringify({ state: found.state, path: found.path, reason: found.reason })}\n`);
