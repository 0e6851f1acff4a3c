//! Which command lines are proven to be one program, and which stay opaque.

use super::{Command, Invocation, Plan, plan};

fn simple(line: &str) -> (String, Vec<String>) {
    match plan(Command::Text(line)) {
        Plan::Simple(target) => (target.program, target.args),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn wrappers_and_runners_are_peeled_off() {
    for (line, program) in [
        ("cargo test", "cargo"),
        ("FOO=1 BAR='a b' cargo test", "cargo"),
        ("sudo -u ci env A=b timeout -k 5 60 npx --yes jest --ci", "jest"),
        ("nice -n 10 stdbuf -oL make -j4", "make"),
        ("python3.11 -m pytest -q", "pytest"),
        ("uv run --with x pytest", "pytest"),
        ("pnpm exec eslint src", "eslint"),
        ("npm exec -- tsc -p .", "tsc"),
        ("poetry run mypy .", "mypy"),
        ("bash -lc 'cd a && go test ./...'", "go"),
        ("cd /tmp/x && export A=b; cargo build 2>&1", "cargo"),
        ("docker exec -it web pytest", "pytest"),
        ("/usr/bin/x86_64-linux-gnu-gcc-13 a.c", "gcc"),
        ("./node_modules/.bin/vitest run", "vitest"),
        ("cargo build > log.txt 2>&1", "cargo"),
        ("mise exec node@20 -- npm test", "npm"),
    ] {
        assert_eq!(simple(line).0, program, "{line}");
    }
}

#[test]
fn quoting_is_removed_and_redirections_are_no_arguments() {
    let (_, args) = simple(r#"grep -rn "a b" 'c d' e\ f 2>/dev/null >&2"#);
    assert_eq!(args, ["-rn", "a b", "c d", "e f"]);
}

#[test]
fn structure_that_hides_the_program_is_opaque() {
    for line in [
        "cargo test | tail -5",
        "a || b",
        "sleep 1 & wait",
        "(cd x; make)",
        "for i in 1 2; do make; done",
        "echo $(date)",
        "echo `date`",
        "cat <<EOF\nx\nEOF",
        "diff <(a) <(b)",
        "! make",
        "echo 'open",
        "A=b",
    ] {
        assert!(matches!(plan(Command::Text(line)), Plan::Opaque(_)), "{line}");
    }
}

#[test]
fn a_chain_of_programs_is_a_list() {
    match plan(Command::Text("npm run build && npm test; git status")) {
        Plan::List(targets) => assert_eq!(targets.len(), 3),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_invocation_is_unwrapped_like_a_line() {
    let invocation =
        Invocation { argv: ["env", "A=b", "git", "-C", "x", "status"].map(str::to_owned).to_vec() };
    match plan(Command::Invocation(&invocation)) {
        Plan::Simple(target) => assert_eq!(target.subcommand(), "status"),
        other => panic!("{other:?}"),
    }
}
