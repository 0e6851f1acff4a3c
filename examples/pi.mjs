/**
 * An agent on pi's loop, a script is the model. `node examples/pi.mjs [FOLDER]`
 *
 * A real model goes where `faux` is: `getModel` and `streamSimple` of `@earendil-works/pi-ai`.
 */
import { Agent } from "@earendil-works/pi-agent-core";
import { createFauxCore, fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai";
import { piTools } from "@pi-bash/adapters/pi";
import { createExecutor } from "@pi-bash/executor";
import { createBashTool } from "@pi-bash/tool";

const bash = (command) => fauxAssistantMessage(fauxToolCall("bash", { command }), { stopReason: "toolUse" });
const lastText = ({ messages }) => messages.at(-1).content[0].text;
const faux = createFauxCore({});
faux.setResponses([
  bash("seq 1 100000"),
  (context) => bash(`grep -c 7 ${/artifact:\/\/\w+/.exec(lastText(context))?.[0]}`),
  (context) => fauxAssistantMessage(`${lastText(context).split("\n")[0]} numbers have a 7`),
]);

const cwd = process.argv[2] ?? process.cwd();
const executor = createExecutor({}, { cwd });
const tools = piTools([createBashTool({ cwd, executor })]);
const agent = new Agent({ initialState: { model: faux.getModel(), tools }, streamFn: faux.stream });
try {
  await agent.prompt("How many have a 7?");
  process.stdout.write(`${lastText(agent.state)}\n`);
} finally {
  await executor.dispose();
}
