/**
 * What the command line says about itself, and how it refuses what it does not understand.
 */

/** Exit status of a wrong command line; what most programs use. */
export const USAGE_STATUS = 2;

/** The command line cannot be understood. The message names the argument and what would be right. */
export class UsageError extends Error {
  override name = "UsageError";
}

export const USAGE = `pi-bash: real bash for programs that run commands

  pi-bash run [options] '<command>'       run a command; its exit status is the exit status, its input is empty
  pi-bash run --session '<a>' '<b>' ...   run commands one after another in one bash, which keeps its state
  pi-bash tool [options] ['<command>']    one call of the bash tool as a model makes it; JSON from standard input
  pi-bash tasks [options]                 calls of the task tools, a JSON object a line, while there is input
  pi-bash rpc [options]                   a session for another program, by JSON lines (docs/rpc.md)
  pi-bash mcp [options]                   the tools as an MCP server over standard input and output
  pi-bash console [options]               a session at the terminal, to try the tools by hand (docs/console.md)
  pi-bash minimize [options] <OUTPUT      what a model would read of an output; --explain tells why
  pi-bash minimize --verify [FILE ...]    run the inline tests of the built-in rules and of rule files
  pi-bash doctor [--json]                 what works here, what is missing and how to get it
  pi-bash tour                            see the engine at work, with every claim checked
  pi-bash version                         which one this is (--version, -V)

Options of run:
  --cwd FOLDER        where the command starts
  --env NAME=VALUE    a variable for the command; may be given several times
  --timeout SECONDS   end the command when it takes longer; exit status 124; without it there is no deadline
  --json              print one JSON object for each command instead of its output
  --policy FILE       run only what the rules of FILE allow, and what only reads; exit status 125 for the rest
  --mode MODE         what becomes of the rest: default, plan, acceptEdits, auto, dontAsk, yolo
  --allow-unasked KIND what may run unasked: download-to-shell, system-write, open-modes; may be given several times
  --session           each argument is a command of one session
  --raw               on a terminal, pass titles, clipboard writes and queries of the command as well

Options of tool: --cwd, --env, --timeout, --policy, --mode, --allow-unasked as above, and
  --setting NAME=VALUE a setting of the tool, as JSON or a word; may be given several times
  --artifacts FOLDER  where whole outputs are kept; a later call with the same folder finds them by artifact://<id>
  --json              print the answer as one JSON object
Options of tasks, rpc and console: --policy, --mode, --allow-unasked, --setting as above; of mcp: these, --cwd and
--artifacts.
rpc and mcp have a policy in mode default without being asked; its questions go to their client

Options of minimize:
  --command '<cmd>'   the command that wrote the output; without it the text alone decides
  --exit N            its exit status; 0 when not given
  --explain           show what each stage did before the text
  --rules FILE        rules of one's own; may be given several times
  --json              print one JSON object

Exit status of run: the command's own; 128+n when signal n ended it; 124 when it timed out; 130 when Ctrl-C ended it;
125 when it was refused or could not be started; 2 for a wrong command line.
`;
