/**
 * Environment variables that make programs do something else: load code, run another program, obey another file.
 *
 * A model that may set them needs no command of its own: `GIT_SSH_COMMAND`, `BASH_ENV` or `LD_PRELOAD` run one inside
 * an allowed program. Such names are listed here as far as they are known; the names that are harmless, with the values
 * that are, stand in `harmless-environment.ts`. Every other name is unknown, and asks.
 */
import { isHarmlessVariable } from "./harmless-environment.ts";

const DANGEROUS_NAMES: ReadonlySet<string> = new Set(
  "PATH ENV SHELLOPTS BASHOPTS IFS PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH GLOBIGNORE SSH_ASKPASS SUDO_ASKPASS PAGER MANPAGER SYSTEMD_PAGER EDITOR VISUAL FCEDIT BROWSER HOME TMPDIR SHELL NODE_OPTIONS NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH GOFLAGS GOTOOLCHAIN RUSTC_WRAPPER RUSTFLAGS CC CXX LD MAKEFLAGS MAKEFILES TAR_OPTIONS RIPGREP_CONFIG_PATH GREP_OPTIONS DOCKER_HOST KUBECONFIG ALL_PROXY HTTP_PROXY HTTPS_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS GCONV_PATH LOCPATH NLSPATH HOSTALIASES TERMINFO TERMCAP GETCONF_DIR RES_OPTIONS POSIXLY_CORRECT HISTFILE OPTIND FUNCNEST EXECIGNORE TIMEFORMAT MAILCHECK COLUMN_OPTIONS PYTHONBREAKPOINT PYTHONINSPECT PYTHONEXECUTABLE PYTHONUSERBASE PYTHONWARNINGS PERLLIB LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE R_PROFILE_USER DOTNET_STARTUP_HOOKS GEM_HOME GEM_PATH BUNDLE_GEMFILE GNUMAKEFLAGS UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT GZIP TEXTDOMAIN TEXTDOMAINDIR COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH CPP AR AS NM RANLIB STRIP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKE CONFIG_SITE CONFIG_SHELL RUSTC RUSTDOC RUSTC_WORKSPACE_WRAPPER GOROOT GOPATH GOBIN GOENV GOPROXY GOSUMDB JAVA_HOME JAVA_OPTS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS GRADLE_USER_HOME ANT_OPTS SBT_OPTS PYTEST_ADDOPTS PYTEST_PLUGINS COVERAGE_PROCESS_START VIRTUAL_ENV CONDA_EXE RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH HGRCPATH HGEDITOR HG PSQLRC PSQL_PAGER PSQL_EDITOR MYSQL_HOME WGETRC CURL_HOME NETRC GNUPGHOME OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES VIMINIT EXINIT MYVIMRC VIM VIMRUNTIME EMACSLOADPATH MANPATH MANOPT MANROFFOPT TERMINFO_DIRS ELECTRON_RUN_AS_NODE ESBUILD_BINARY_PATH COMPOSE_FILE TMUX TMUX_TMPDIR SCREENRC INPUTRC ZDOTDIR TCLLIBPATH GEMRC RAKEOPT GUILE_LOAD_PATH JULIA_LOAD_PATH OCAMLRUNPARAM CAML_LD_LIBRARY_PATH ERL_FLAGS ERL_AFLAGS ELIXIR_ERL_OPTIONS WINEPREFIX MINICOM SENDMAIL POSTEDITOR CMAKE_TOOLCHAIN_FILE CMAKE_PREFIX_PATH CMAKE_MODULE_PATH CMAKE_PROJECT_INCLUDE CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER BUNDLE_PATH BUNDLE_BIN_PATH COMPOSER_HOME NIX_PATH GUIX_PACKAGE_PATH QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH ACKRC BAT_PAGER BAT_CONFIG_PATH BAT_CONFIG_DIR AWKPATH AWKLIBPATH XZ_OPT XZ_DEFAULTS BZIP BZIP2 MAGIC LOCATE_PATH GLIBC_TUNABLES SSLKEYLOGFILE".split(
    " ",
  ),
);

const DANGEROUS_PREFIXES = [
  "LD_",
  "DYLD_",
  "BASH_",
  "GIT_",
  "LESS",
  "CARGO_",
  "PIP_",
  "XDG_",
  "SSH_",
  "GPG_",
  "MALLOC_",
  "PERL5",
  "YARN_",
  "SYSTEMD_",
  // `objdump` and `readelf` fetch debug information from there.
  "DEBUGINFOD_",
  "ANSIBLE_",
  "PKG_CONFIG",
  "CCACHE_",
  "DISTCC_",
  "GTK_",
  "GIO_",
  "GST_",
  "TF_CLI_",
  // `ACK_PAGER` is a command, and so was what `ACK_OPTIONS` could name.
  "ACK_",
];

/** Names that are read in lower case: curl and wget, npm. */
const DANGEROUS_LOWER = /^(?:https?_proxy|all_proxy|ftp_proxy|no_proxy|npm_config_.*|npm_package_.*|npm_execpath)$/i;

/**
 * True for a name that can make a program load or run something.
 *
 * The tool asks before it passes such a name from a model's `env` parameter.
 */
export function isDangerousVariable(name: string): boolean {
  if (DANGEROUS_NAMES.has(name) || DANGEROUS_LOWER.test(name)) return true;
  return DANGEROUS_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/**
 * Variables that bash itself reads or computes. Assigning to some (`RANDOM`, `SECONDS`, `OPTIND`) evaluates the value as
 * arithmetic, which runs a command in a subscript (`for RANDOM in 'a[$(touch x)]'`); others change how later text is
 * read (`LC_ALL`, `TEXTDOMAINDIR`) or when the shell ends (`TMOUT`). Source: `bash(1)`, Shell Variables, of 5.3.
 */
const SHELL_VARIABLES =
  /^(?:BASHPID|DIRSTACK|EPOCH\w*|EUID|UID|PPID|FUNCNAME|GROUPS|HIST\w*|histchars|LINENO|MACHTYPE|MAPFILE|OLDPWD|PWD|OPT\w*|PIPESTATUS|RANDOM|SRANDOM|READLINE_\w*|SECONDS|SHLVL|CHILD_MAX|COMP_?\w*|COPROC|EMACS|FIGNORE|GLOBSORT|HOST\w*|IGNOREEOF|INPUTRC|INSIDE_EMACS|LANG|LC_\w*|LANGUAGE|MAIL\w*|PROMPT_\w*|PS\d|REPLY|TEXTDOMAIN\w*|TIMEFORMAT|TMOUT|auto_resume|_)$/;

/** True for a variable that a line may not assign in its session and still count as reading. */
export function isSessionVariable(name: string): boolean {
  return SHELL_VARIABLES.test(name) || isDangerousVariable(name);
}

/**
 * True for a variable that a loop or `read` may fill in a line that only reads. Programs take their settings from names
 * in capitals, which may be exported already.
 */
export function isLoopVariable(name: string): boolean {
  return /^(?:[a-z_][a-z0-9_]*|[A-Za-z])$/.test(name) && !isSessionVariable(name);
}

/** The dangerous names among those of an environment, sorted. */
export function dangerousVariables(names: Iterable<string>): string[] {
  return [...names].filter(isDangerousVariable).toSorted();
}

/** What a variable does to the programs that meet it, as far as that is known. */
export type VariableKind = "harmless" | "unknown" | "dangerous";

/** Judges a variable of a call. A dangerous name is harmless with a few values: `PAGER=cat`. */
export function kindOfVariable(name: string, value: string): VariableKind {
  if (isHarmlessVariable(name, value)) return "harmless";
  return isDangerousVariable(name) ? "dangerous" : "unknown";
}

/** True for an assignment before a command that cannot change what it does to files. */
export function isHarmlessAssignment(name: string, value: string | null): boolean {
  return value !== null && isHarmlessVariable(name, value);
}
