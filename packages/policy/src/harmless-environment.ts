/**
 * Environment variables that no known program takes a program, a path or an option from, with the values that are plain.
 *
 * A name belongs here only when its reason can be given in a few words. Values matter: `TZ=:/evil` reads a file that
 * `TZ=Europe/Berlin` does not. `DEBUG` is not here, because scripts use it as the start of a command (`$DEBUG rm x`);
 * neither is `LOG_FILE` or anything else with a path in it.
 */

/** A locale: `de_DE.UTF-8@euro`, for `LANGUAGE` several. */
const LOCALE = /^[\w.@:-]*$/;
const SWITCH = /^(?:|0|1|true|false|yes|no|on|off)$/i;
const NUMBER = /^\d{0,9}$/;

/** Names and the values that change nothing but what the reason says. */
const HARMLESS: readonly (readonly [name: RegExp, value: RegExp])[] = [
  // Language of messages, and how characters are counted and sorted.
  [/^(?:LANG|LANGUAGE|LC_[A-Z]+)$/, LOCALE],
  // The time zone, by its name; a path or a `:` reads another file.
  [/^TZ$/, /^(?:[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*){0,2})?$/],
  // The kind of terminal, by its name.
  [/^(?:TERM|COLORTERM)$/, /^(?:[A-Za-z0-9][\w+-]*(?:\.[\w+-]+)*)?$/],
  // Width, height and colour of output.
  [/^(?:COLUMNS|LINES)$/, NUMBER],
  [/^(?:NO_COLOR|CLICOLOR|CLICOLOR_FORCE|FORCE_COLOR)$/, /^\w{0,16}$/],
  // Less chatter, no questions.
  [/^(?:CI|CONTINUOUS_INTEGRATION|DO_NOT_TRACK|GIT_TERMINAL_PROMPT)$/, SWITCH],
  [/^DEBIAN_FRONTEND$/, /^(?:noninteractive|readline|teletype)$/],
  // Which of its own settings a project takes; other values name files of its configuration.
  [/^NODE_ENV$/, /^(?:test|development|production)$/],
  // More detail when something fails, and what is logged.
  [/^RUST_BACKTRACE$/, /^(?:0|1|full|short)$/],
  [/^RUST_LOG$/, /^[\w:=,-]{0,200}$/],
  // How Python prints, caches and orders.
  [/^(?:PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONUTF8)$/, /^\d?$/],
  [/^PYTHONHASHSEED$/, /^(?:random|\d{1,10})$/],
  // The date that a build writes into its output.
  [/^SOURCE_DATE_EPOCH$/, /^\d{1,12}$/],
  // No lock, no pager.
  [/^GIT_OPTIONAL_LOCKS$/, /^0$/],
  [/^(?:GIT_PAGER|PAGER|MANPAGER|SYSTEMD_PAGER)$/, /^cat$/],
];

/** True for a variable that changes how output looks and nothing else. */
export function isHarmlessVariable(name: string, value: string): boolean {
  return HARMLESS.some(([names, values]) => names.test(name) && values.test(value));
}
