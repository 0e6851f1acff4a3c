//! Cases of what bash prints of its state, and what is taken from it.

use super::*;

const MARK: &str = "pi-0123";

/// A dump with these parts; the others are as those of a new bash.
fn dump(parts: &[(&str, &str)]) -> Vec<u8> {
    let usual = [
        ("begin", "shopt -s cmdhist\nshopt -u autocd\nshopt -s extglob\n"),
        ("depth", "0\n"),
        ("directory", "/tmp\n"),
        ("stack", " /usr\n"),
        ("arguments", " a b\n"),
        ("shopts", ""),
        ("options", "braceexpand:hashall:nounset\n"),
        ("umask", "umask 0022\n"),
        ("variables", "declare -x HOME=\"/root\"\n"),
        ("functions", ""),
        ("attributes", ""),
        ("aliases", ""),
        ("traps", ""),
        (
            "limits",
            "open files                      (-n) 1024\n#hard\nopen files   (-n) unlimited\n",
        ),
        ("descriptors", ""),
    ];
    let mut text = String::new();
    for (name, value) in usual {
        let given = parts.iter().find(|(other, _)| *other == name);
        text.push_str(given.map_or(value, |(_, value)| value));
        let _infallible = writeln!(text, "#{MARK} {name}");
    }
    text.into_bytes()
}

fn parsed(parts: &[(&str, &str)]) -> State {
    State::parse(&dump(parts), MARK, None, None).unwrap()
}

#[test]
fn a_state_that_was_cut_off_is_none() {
    let text = dump(&[]);
    for end in 0..text.len() {
        assert_eq!(State::parse(&text[..end], MARK, None, None), None, "{end}");
    }
    assert!(State::parse(&text, MARK, None, None).is_some());
    assert_eq!(State::parse(&text, "pi-4567", None, None), None, "another command's");
}

#[test]
fn variables_are_distinguished_by_quotes_and_those_of_bash_are_left_out() {
    let state = parsed(&[(
        "variables",
        "declare -ir UID=\"0\"\ndeclare -- V=\"a\ndeclare -- LINENO=1 \\\" b\"\ndeclare -- __pi_ab=\"x\"\n\
         declare -- W=$'it\\'s\\n'\ndeclare -a A=([0]=\"x y\" [1]=$'\"')\ndeclare -i B\n",
    )]);

    let text = String::from_utf8(state.variables()).unwrap();
    assert_eq!(
        text,
        "declare -- V=\"a\ndeclare -- LINENO=1 \\\" b\"\ndeclare -- W=$'it\\'s\\n'\n\
         declare -a A=([0]=\"x y\" [1]=$'\"')\ndeclare -i B\n"
    );
    assert!(state.declares("V") && state.declares("B"));
    assert!(!state.declares("LINENO") && !state.declares("UID"));
}

#[test]
fn options_of_one_command_are_not_carried_on() {
    let state = parsed(&[
        ("options", "errexit:hashall:monitor:noexec:pipefail:posix:verbose:xtrace\n"),
        ("shopts", "extdebug:extglob:login_shell:restricted_shell\n"),
    ]);

    assert_eq!(state.options(), "\\builtin set -o pipefail\n\\builtin set +o braceexpand\n");
    assert_eq!(state.shopts(), "\\builtin shopt -s extglob\n");
    assert!(state.is_posix() && state.is_traced());
}

#[test]
fn options_are_those_that_bash_says_are_on() {
    let state = parsed(&[]);

    assert_eq!(state.shopts(), "\\builtin shopt -s cmdhist extglob\n");
    assert!(state.has_shopt("extglob") && !state.has_shopt("autocd"));
    assert!(!state.is_posix() && !state.is_traced());
}

#[test]
fn traps_that_end_with_a_command_are_left_out_and_a_function_s_are_those_from_before() {
    let traps = "trap -- 'echo \"it'\\''s\nSIGUSR2' SIGUSR1\ntrap -- 'x' EXIT\ntrap -- 'y' DEBUG\ntrap -- 'z' ERR\n";
    let before = parsed(&[("traps", traps)]);
    assert_eq!(
        String::from_utf8(before.traps()).unwrap(),
        "\\builtin trap -- 'echo \"it'\\''s\nSIGUSR2' SIGUSR1\n\\builtin trap -- 'z' ERR\n"
    );

    let within = dump(&[("depth", "1\n"), ("arguments", " of the function\n")]);
    let state = State::parse(&within, MARK, None, Some(&before)).unwrap();

    assert_eq!(String::from_utf8(state.traps()).unwrap(), "\\builtin trap -- 'z' ERR\n");
    assert_eq!(state.arguments, b" a b");
    assert_eq!(State::parse(&dump(&[("depth", "2\n")]), MARK, None, Some(&before)), None);
}

#[test]
fn what_was_given_to_a_call_is_what_it_was_before() {
    let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let env = [entry("A", "call"), entry("B", "call")];
    let base = [entry("A", "it's"), entry("C", "another")];
    let after = parsed(&[("variables", "declare -x A=\"call\"\ndeclare -x B=\"call\"\n")]);
    let before = parsed(&[("variables", "declare -ai B=([0]=\"1\")\n")]);

    let text = |state: State| String::from_utf8(state.variables()).unwrap();
    assert_eq!(
        text(after.clone().without_call(&env, Some(&before), &base)),
        "declare -ai B=([0]=\"1\")\n"
    );
    assert_eq!(text(after.without_call(&env, None, &base)), "declare -x A='it'\\''s'\n");
}

#[test]
fn a_function_that_is_called_builtin_is_found_among_the_exported_ones() {
    let functions = b"a () \n{ \n    echo 'builtin () '\n}\ndeclare -fx a\nbuiltin () \n{ \n    :\n}\ndeclare -fx builtin\n";
    let state = State::parse(&dump(&[]), MARK, Some(functions), None).unwrap();

    assert_eq!(state.builtin.as_deref(), Some(&b"builtin () \n{ \n    :\n}\n"[..]));
    assert_eq!(State::parse(&dump(&[]), MARK, Some(b""), None).unwrap().builtin, None);
}

#[test]
fn limits_are_set_soft_ones_first_and_none_that_would_stop_bash() {
    let limits = "open files  (-n) 8\nstack size  (kbytes, -s) unlimited\npipe size  (512 bytes, -p) 8\n#hard\nstack size  (kbytes, -s) 9\n";
    assert_eq!(
        parsed(&[("limits", limits)]).limits,
        "\\builtin ulimit -Ss unlimited\n\\builtin ulimit -Hs 9\n"
    );
}

#[test]
fn a_state_says_which_traps_and_aliases_stand_in_the_way_of_a_word() {
    let with = |shopts, aliases| parsed(&[("begin", shopts), ("aliases", aliases)]);
    let expands = "shopt -s expand_aliases\n";
    for alias in ["alias {='x'\n", "alias [[='x'\n"] {
        assert!(with(expands, alias).has_reserved_alias(), "{alias}");
        assert!(!with("", alias).has_reserved_alias(), "{alias}");
    }
    assert!(!with(expands, "alias ll='ls -l'\n").has_reserved_alias());

    let trapped = parsed(&[("traps", "trap -- 'x' ERR\n")]);
    assert!(trapped.has_trap("ERR") && !trapped.has_trap("INT"));
    assert_eq!(with("", "").shopts(), "");
}

#[test]
fn a_state_is_somewhere_and_says_whether_it_has_descriptors() {
    assert_eq!(State::parse(&dump(&[("directory", "tmp\n")]), MARK, None, None), None);
    assert_eq!(parsed(&[]).directory, std::path::Path::new("/tmp"));
    assert!(!parsed(&[]).has_descriptors);
    assert!(parsed(&[("descriptors", "7\n")]).has_descriptors);
}

#[test]
fn a_variable_s_name_is_letters_digits_and_underscores() {
    for (name, is_one) in
        [("A", true), ("_", true), ("a1_B", true), ("1a", false), ("", false), ("a-b", false)]
    {
        assert_eq!(is_variable_name(name), is_one, "{name}");
    }
}
