/**
 * Uses `pi-bash mcp` as people try out a server: by the MCP inspector's command line, from a configuration file.
 *
 * The inspector has 110 MB and 120 packages (a web page, a build tool), so it is no dependency of the workspace: it is
 * installed here when it is used, into `build/inspector`.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm, runStep } from "./run-step.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "build", "inspector");
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
const launcher = join(folder, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build");

/** What README.md tells people to write. */
const CONFIGURATION = {
  mcpServers: { bash: { command: "npx", args: ["--package=@pi-bash/cli", "pi-bash", "mcp"] } },
};

const TOOLS = ["bash", "task", "task_await", "task_list", "task_terminate"];

/** Lists and calls the tools of a server that is installed in `project`. Returns a line for the report. */
export function inspectMcp(project) {
  const node = newEnoughNode();
  if (node === undefined)
    return "the MCP inspector: not tried, it needs Node 22.19 (`npm run test:runtimes -- node24`)";
  install();
  writeFileSync(join(project, "mcp.json"), JSON.stringify(CONFIGURATION));
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    // It looks for a keychain, and for servers of the person's own.
    HOME: project,
    MCP_INSPECTOR_SECRET_STORE: "memory",
  };
  const ask = (...words) => {
    const begin = [join(launcher, "index.js"), "--cli", "--config", "mcp.json", "--server", "bash", "--method"];
    const answer = runStep(node, [...begin, ...words], project, { env });
    return JSON.parse(answer.slice(answer.search(/^\{/m), answer.lastIndexOf("}") + 1));
  };
  const names = ask("tools/list").tools.map(({ name }) => name);
  if (TOOLS.some((name) => !names.includes(name))) throw new Error(`the MCP server has the tools ${names.join(", ")}`);
  const { content, isError } = ask("tools/call", "--tool-name", "bash", "--tool-arg", "command=echo $((6*7))");
  if (isError !== false || !/^42$/m.test(content[0].text))
    throw new Error(`the MCP server answered ${JSON.stringify({ content, isError })}`);
  return `pi-bash mcp by the MCP inspector, from a configuration file: ${names.length} tools, a call of bash`;
}

/** Node 22.19 or newer: the running one, or one that `npm run test:runtimes` has installed. */
function newEnoughNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  const installed = join(root, "build", "runtimes", "node_modules", "node24", "bin", "node");
  return existsSync(installed) ? installed : undefined;
}

function install() {
  if (existsSync(launcher)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  runNpm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", INSPECTOR], folder);
}
