//! What is left alone, by command and by content.

use super::{Permission, by_command, is_machine_content};
use crate::invocation::{Command, Plan, plan};

fn permission(line: &str) -> Permission {
    match plan(Command::Text(line)) {
        Plan::Simple(target) => by_command(&target),
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn output_for_programs_is_left_alone() {
    for line in [
        "cargo check --message-format=json",
        "cargo build --message-format json-render-diagnostics",
        "git status --porcelain=v2 --branch",
        "git diff --name-only",
        "git diff --numstat HEAD~3",
        "git log --format='%h %s'",
        "git log --pretty=format:%H",
        "git show HEAD:src/main.rs",
        "git ls-files -z",
        "npm ls --json",
        "npm view react",
        "kubectl get pods -o yaml",
        "kubectl get pods -ojson",
        "kubectl get pods -o=jsonpath='{.items}'",
        "docker ps -q",
        "docker ps --format '{{.Names}}'",
        "eslint -f json src",
        "npx jest --json",
        "vitest run --reporter=junit",
        "go test -json ./...",
        "grep -c foo -r .",
        "grep -rl foo .",
        "rg -l foo",
        "rg --json foo",
        "find . -print0",
        "sha256sum a b",
        "jq . a.json",
        "helm template x",
        "pip freeze",
        "terraform show",
    ] {
        assert!(matches!(permission(line), Permission::Nothing(_)), "{line}");
    }
}

#[test]
fn output_for_people_may_be_rewritten() {
    for line in [
        "cargo test",
        "git log -60",
        "git log --pretty=fuller",
        "kubectl get pods -o wide",
        "tar -czvf a.tgz b",
        "gcc -o a a.c",
    ] {
        assert_eq!(permission(line), Permission::Everything, "{line}");
    }
}

#[test]
fn a_file_that_is_read_is_left_alone_unless_it_is_a_log() {
    for line in ["cat src/a.rs", "sed -n 1,20p a.py", "head -50 a.ts", "tail -n 100 app.log"] {
        assert_eq!(permission(line), Permission::OnlyLogs, "{line}");
    }
}

#[test]
fn json_and_xml_are_known_by_their_content() {
    for text in [
        "{\"a\":1}",
        "[\n  {\"a\": 1}\n]\n",
        "<?xml version=\"1.0\"?><a/>",
        "note\n{\"a\":1,\"b\":[1,2,3]}\n{\"a\":2,\"b\":[1,2,3]}\n",
    ] {
        assert!(is_machine_content(text), "{text}");
    }
    for text in ["[INFO] Scanning\n[ERROR] x]\n", "{ not json }", "plain\n", "[gw0] PASSED x\n"] {
        assert!(!is_machine_content(text), "{text}");
    }
}
