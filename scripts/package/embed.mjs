// What an agent's author writes: the bash tool in a process of one's own. Run by `npm run package` in a folder where
// nothing but the packed packages is installed; it prints what the model would read.
import { createExecutor } from "@pi-bash/executor";
import { createBashTool } from "@pi-bash/tool";

const executor = createExecutor({});
const bash = createBashTool({ cwd: process.cwd(), settings: {}, executor, getSessionId: () => "embedded" });
try {
  for (const [id, command] of [
    "greeting=hello",
    'echo "$greeting from a session"',
    "seq 1 100000",
    "exit 3",
  ].entries()) {
    const { content, details } = await bash.execute(`call-${id}`, { command }, undefined, undefined);
    const text = content.map((part) => part.text).join("");
    console.log(`$ ${command}\n${text.length > 400 ? `${text.slice(0, 40)} …\n${text.slice(-200)}` : text}`);
    if (command === "exit 3" && details.exitCode !== 3) throw new Error("the exit status was lost");
    if (command.startsWith("echo") && !text.startsWith("hello from a session")) throw new Error("the session forgot");
  }
} finally {
  await executor.dispose();
}
