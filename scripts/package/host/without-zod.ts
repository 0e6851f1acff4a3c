// A program of a host that has no zod of its own: every package's types have to be whole with what it brings along.
import * as cli from "@pi-bash/cli";
import * as command from "@pi-bash/command";
import { BashParams, jsonSchemaOf, type ParameterSchema, Settings } from "@pi-bash/contract";
import { onAbort } from "@pi-bash/contract/internal/abort";
import { createExecutor } from "@pi-bash/executor";
import * as natives from "@pi-bash/natives";
import * as fallback from "@pi-bash/natives/fallback";
import * as places from "@pi-bash/places";
import * as policy from "@pi-bash/policy";
import * as renderer from "@pi-bash/renderer";
import * as terminal from "@pi-bash/terminal";
import { type AnyTool, createBashTool } from "@pi-bash/tool";

const params: ParameterSchema<BashParams> = BashParams;
const parsed = params.safeParse({});
const message: string | undefined = parsed.error?.issues[0]?.message;
// English is zod's default, and stays it without a host's zod.
if (message !== "Invalid input: expected string, received undefined") throw new Error(`zod says ${message}`);

const text: string = BashParams.parse({ command: "ls" }).command;
// @ts-expect-error: the types are zod's own, and not `any`
const wrong: number = BashParams.parse({ command: "ls" }).command;

const options: places.SshOptions = { port: 22 };
// @ts-expect-error: and so are the options of places
const misspelt: places.SshOptions = { prot: 22 };

const isAsync: boolean = Settings.parse({})["async.enabled"];
const executor = createExecutor({});
const tool: AnyTool = createBashTool({ cwd: process.cwd(), settings: {}, executor, getSessionId: () => "typed" });
const used = [
  places,
  options,
  misspelt,
  cli,
  command,
  natives,
  fallback,
  policy,
  renderer,
  terminal,
  onAbort,
  text,
  wrong,
  isAsync,
  tool,
];
if (used.includes(undefined as never) || jsonSchemaOf(BashParams)["type"] !== "object") throw new Error("not whole");
await executor.dispose();
