// What score.mjs asks for: (command, output, exit status) => text, answered by the example program of
// crates/pi-minimizer. PI_MINIMIZE names the program; without it the debug build of the target folder.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const target = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target')
const program = process.env.PI_MINIMIZE ?? path.join(target, 'debug/examples/minimize')

export default function minimize(command, output, exitCode) {
  const run = spawnSync(program, [command, String(exitCode)], { input: output, maxBuffer: 64 << 20 })
  if (run.error) throw run.error
  if (run.status !== 0) throw new Error(`${program} ended with ${run.status}: ${run.stderr}`)
  return run.stdout.toString('utf8')
}
