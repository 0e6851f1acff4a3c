/** An extension of pi that gives it the tools of `@pi-bash/adapters/pi`, and ends what they run with pi's session. */
import { openSession, ours } from "./agent-session.mjs";

// biome-ignore lint/style/noDefaultExport: pi finds an extension by it.
export default async function engine(pi) {
  const { piTools } = await ours("adapters/dist/pi/index.js");
  const session = await openSession(process.cwd());
  for (const tool of piTools(session.tools())) pi.registerTool(tool);
  pi.on("session_shutdown", session.dispose);
}
