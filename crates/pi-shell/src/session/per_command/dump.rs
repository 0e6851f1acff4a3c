//! The script by which a bash tells its state, sourced behind a command: `program` fills in the names, `state` reads what it
//! prints.

/// What a bash says of itself, each part behind the one before with a mark. A shell that ends inside of one function has
/// that one's variables unset by another function, which brings those of outside back. An EXIT trap of the command's own may run behind
/// it: aliases are as they were, unless one would come between bash and the trap of ours. A trap on RETURN would run for this script, and where it fails end bash.
pub(super) const DUMP: &str = r#"\builtin enable printf return test shopt unset set declare alias trap ulimit umask local mapfile pwd eval || \builtin :
\builtin test "${BASHPID-$$}" = "$$" || \builtin test "${__pi_y-}" || \builtin return
\builtin test "${__pi_z-}" && \builtin trap - RETURN && \builtin return
\builtin set +v
\builtin test "${__pi_y-}" || \builtin trap '' XFSZ
\builtin shopt -p >|@STATE@
\builtin test "${__pi_s+_}" || \builtin set +e
__pi_x=
\builtin shopt -q expand_aliases && __pi_x=_
\builtin shopt -u expand_aliases
\builtin shopt -u localvar_unset || \builtin :
[[ $__pi_q == _ ]] && \builtin unset -v POSIXLY_CORRECT
__pi_d=0
for __pi_i in ${FUNCNAME[@]+"${FUNCNAME[@]}"};do [[ $__pi_i == source || $__pi_i == main ]] || ((++__pi_d));done
if ((__pi_d==1&&BASH_VERSINFO[0]>4));then
\builtin local -p >|@LOCALS@
\builtin mapfile -t __pi_v <@LOCALS@
__pi_u(){ \builtin unset "$@";}
for __pi_i in ${__pi_v[@]+"${__pi_v[@]}"};do
__pi_w=${__pi_i#declare -} __pi_n=${__pi_i#declare -* } __pi_n=${__pi_n%%=*}
if [[ ${__pi_w%% *} == *n* ]];then __pi_u -n "$__pi_n";else __pi_u -v "$__pi_n";fi
done
\builtin unset -f __pi_u
elif ((__pi_d));then __pi_d=2;fi
{ \builtin printf '#@MARK@ begin\n%s\n#@MARK@ depth\n' "$__pi_d"
@DIRECTORY@
\builtin printf '#@MARK@ directory\n'
((${#DIRSTACK[@]}>1)) && \builtin printf ' %q' "${DIRSTACK[@]:1}"
\builtin printf '\n#@MARK@ stack\n'
(($#)) && \builtin printf ' %q' "$@"
\builtin printf '\n#@MARK@ arguments\n'
[[ $__pi_b == builtin ]] && \builtin printf '%s\n' "$__pi_o"
\builtin printf '#@MARK@ shopts\n%s\n#@MARK@ options\n' "$__pi_p"
\builtin umask -p
\builtin printf '#@MARK@ umask\n'
\builtin declare -p
\builtin printf '#@MARK@ variables\n'
\builtin declare -f
\builtin printf '#@MARK@ functions\n'
\builtin declare -F
\builtin printf '#@MARK@ attributes\n'
\builtin alias -p
\builtin printf '#@MARK@ aliases\n'
\builtin trap -p
\builtin printf '#@MARK@ traps\n'
\builtin ulimit -Sa
\builtin printf '#hard\n'
\builtin ulimit -Ha
\builtin printf '#@MARK@ limits\n'
for __pi_i in 3 4 5 6 7 8 9;do [[ -e /dev/fd/$__pi_i ]] && \builtin printf '%s\n' "$__pi_i";done
\builtin printf '#@MARK@ descriptors\n'
} >>@STATE@
[[ ${__pi_y-} ]] || \builtin trap - XFSZ
if [[ $__pi_x ]];then
((BASH_VERSINFO[0]>3)) && [[ ${BASH_ALIASES["{"]+_}${BASH_ALIASES["[["]+_} ]] || \builtin shopt -s expand_aliases
fi
\builtin trap - RETURN
"#;
