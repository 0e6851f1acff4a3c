//! What of a text behind the beginning of a private key is a part of it.

use super::*;

/// Where the first dash of a block stands.
const START: u64 = 1000;

/// As many characters of base64 as tell a key.
const BODY: &str = "aB3dE5fG7hJ9kL2mN4pQ";

/// The key that `rest` is where it stands behind the beginning of one: up to where it is decided when it is over, or when
/// nothing follows. `None`: none.
fn key_of(rest: &str) -> Option<&str> {
    let at = START + PREFIX.len() as u64;
    let mut pem = Pem::new(at);
    assert_eq!(pem.start, START);
    if rest.bytes().all(|byte| pem.step(byte) == Progress::Open) {
        pem.close();
    }
    pem.end().map(|end| rest.split_at(usize::try_from(end - at).unwrap()).0)
}

/// The same where the label is a usual one.
fn body_of(body: &str) -> Option<String> {
    let rest = format!("PRIVATE KEY-----\n{body}");
    key_of(&rest).map(|key| key.strip_prefix("PRIVATE KEY-----\n").unwrap_or(key).to_owned())
}

#[test]
fn a_key_has_a_private_label_between_five_dashes() {
    let with = |label: &str| key_of(&format!("{label}\n{BODY}\n")).is_some();
    let long = |length: usize| format!("{} PRIVATE KEY-----", "A".repeat(length - 12));
    for label in ["PRIVATE KEY-----", "X25 PRIVATE KEY-----", "PGP PRIVATE KEY BLOCK-----"] {
        assert!(with(label), "{label}");
    }
    for label in [
        "PUBLIC KEY-----",
        "PRIVATE KEYS-----",
        "private KEY-----",
        "PRIVATE KEY----",
        "PRIVATE- KEY-----",
        "PRIVATE KEY",
    ] {
        assert!(!with(label), "{label}");
    }
    assert!(with(&long(MAX_LABEL)) && !with(&long(MAX_LABEL + 1)));
}

#[test]
fn a_line_is_one_of_a_key_from_so_many_characters_on() {
    assert_eq!(body_of(&format!("{BODY}\n")), Some(BODY.to_owned()));
    assert_eq!(body_of(BODY.split_at(1).1), None);
    assert_eq!(body_of("aB3dE5fG7h\nJ9kL2mN4pQ\n"), None, "two short lines are none");
    assert_eq!(
        body_of(&format!("{BODY}\nshort\n{BODY}\n")),
        Some(format!("{BODY}\nshort\n{BODY}"))
    );
    assert_eq!(body_of(&format!("{BODY}\nsome words. And\n")), Some(BODY.to_owned()));
    assert_eq!(body_of("+/=aB3dE5fG7hJ9kL2mN4\n"), Some("+/=aB3dE5fG7hJ9kL2mN4".to_owned()));
}

#[test]
fn a_key_ends_with_the_last_dash_of_its_end() {
    let end = "-----END PRIVATE KEY-----";
    for ending in [end, "-----END-----", "------END RSA 2-----"] {
        let whole = format!("{BODY}\n{ending}");
        assert_eq!(body_of(&format!("{whole}\nafter\n")), Some(whole.clone()), "{ending}");
        assert_eq!(body_of(&whole), Some(whole), "{ending}");
    }
    for (ending, rest) in [
        ("----END PRIVATE KEY-----", ""),
        ("-------END PRIVATE KEY-----", ""),
        ("-----end-----", ""),
        ("-----END PRIVATE key-----", ""),
        ("-----END X-Y-----", ""),
    ] {
        let key = body_of(&format!("{BODY}\n{ending}\n"));
        assert_eq!(key, Some(format!("{BODY}{rest}")), "{ending}");
    }
    let on_one_line = format!("{BODY} {end}");
    assert_eq!(body_of(&on_one_line), Some(on_one_line.clone()));
    for length in [1, 3] {
        let quoted = format!("{}\" {end}", BODY.repeat(length));
        assert_eq!(body_of(&quoted), Some(quoted.clone()));
    }
    for ending in ["----END-----", "------END-----", "------"] {
        assert_eq!(body_of(&format!("{BODY}\" {ending}")), Some(BODY.to_owned()), "{ending}");
    }
    let unended = format!("{BODY}\n-----END PRIVATE KEY\n{BODY}\n");
    assert_eq!(body_of(&unended), Some(BODY.to_owned()), "its last line has no dashes");
    let labelled = |length: usize| format!("{BODY}\n-----E{}-----", "N".repeat(length));
    assert_eq!(body_of(&labelled(MAX_LABEL)), Some(labelled(MAX_LABEL)));
    assert_eq!(body_of(&labelled(MAX_LABEL + 1)), Some(BODY.to_owned()));
}

#[test]
fn what_stands_before_and_behind_the_lines_of_a_key_is_passed_over() {
    for margin in [" ", "\t", "+", "|", ">", "#", "*", "\"", "'", ",", ";", "`", "\r", "  > "] {
        let lines = format!("{margin}{BODY}\n{margin}{BODY}");
        // A blank may be the end of a line of a key on one line.
        let behind = if margin.starts_with(' ') { "" } else { margin };
        assert_eq!(body_of(&format!("{lines}{margin}\n.\n")), Some(format!("{lines}{behind}")));
    }
    for margin in ["(", "!", ".", "a b "] {
        assert_eq!(body_of(&format!("{margin}{BODY}\n")), None, "{margin}");
    }
    assert!(body_of(&format!("-{BODY}\n")).is_some(), "a removed line of a diff");
    assert_eq!(body_of(&format!("--{BODY}\n")), None);
}

#[test]
fn numbers_of_lines_are_passed_over() {
    for number in ["1 ", "1\t", "12:", "123|", "1234567-"] {
        assert!(body_of(&format!("{number}{BODY}\n")).is_some(), "{number}");
    }
    for number in ["12345678 ", "1a ", "x:", "1."] {
        assert_eq!(body_of(&format!("{number}{BODY}\n")), None, "{number}");
    }
}

#[test]
fn a_hyphen_belongs_to_what_may_become_a_header() {
    assert!(body_of(&format!("abcdefg-{BODY}\n")).is_some());
    assert_eq!(body_of(&format!("abcdefgh-{BODY}\n")), None);
}

#[test]
fn headers_of_a_key_go_to_the_end_of_their_line() {
    for name in ["Proc-Type", "DEK-Info", "Version", "Comment", "Hash", "Charset", "MessageID"] {
        let headed = format!("{name}: what (ever)!\n\n{BODY}");
        assert_eq!(body_of(&headed), Some(headed.clone()), "{name}");
    }
    assert_eq!(body_of(&format!("Subject: words\n\n{BODY}\n")), None);
    assert_eq!(body_of(&format!("Proc-Typed: words\n\n{BODY}\n")), None);
    let escaped = format!("Version: 1\\n{BODY}");
    assert_eq!(body_of(&escaped), Some(escaped.clone()));
}

#[test]
fn ends_of_lines_may_be_escaped() {
    for escape in ["\\n", "\\r\\n", "\\\\n", "\\\"\\n", "\"\\n"] {
        let lines = format!("{BODY}{escape}{BODY}");
        assert_eq!(body_of(&lines), Some(lines.clone()), "{escape}");
    }
    assert_eq!(body_of(&format!("{BODY}\\x{BODY}\n")), Some(BODY.to_owned()));
    let leading = format!("\\n{BODY}");
    assert_eq!(body_of(&leading), Some(leading.clone()));
}

#[test]
fn a_key_is_no_longer_than_the_longest_and_waits_for_no_more_than_some_lines() {
    let beginning = "PRIVATE KEY-----\n".len() + PREFIX.len();
    let long = "a".repeat(usize::try_from(MAX_BLOCK).unwrap());
    let decided = usize::try_from(MAX_BLOCK).unwrap() - beginning;
    assert_eq!(body_of(&long).map(|key| key.len()), Some(decided));
    // As RSA of 16,384 bits has it.
    let largest = format!("{}\n", BODY.repeat(3)).repeat(210);
    assert_eq!(body_of(&largest).as_deref(), Some(largest.trim_end()));

    let most = usize::try_from(MAX_WAITING).unwrap();
    let waits = |blanks: usize| body_of(&format!("{BODY}\n{}{BODY}", "\n".repeat(blanks)));
    // The first line end is one of the bytes that wait, and the last of the run decides.
    let last = most - LEAST_RUN + 1;
    assert_eq!(waits(last).map(|key| key.len()), Some(LEAST_RUN + 1 + last + LEAST_RUN));
    assert_eq!(waits(last + 1).map(|key| key.len()), Some(LEAST_RUN));
}

#[test]
fn a_line_that_was_cut_belongs_to_its_key_and_blanks_behind_it_do_not() {
    for cut in ["aB3", "--", "-----EN", "-----END PRIV"] {
        let whole = format!("{BODY}\n{cut}");
        assert_eq!(body_of(&whole), Some(whole.clone()), "{cut}");
    }
    assert_eq!(body_of(&format!("{BODY}\n  ")), Some(BODY.to_owned()));
    assert_eq!(body_of("aB3"), None, "nothing tells that it is one");
}

#[test]
fn a_label_can_be_shown_and_what_may_be_a_key_cannot() {
    let after = |rest: &str| {
        let mut pem = Pem::new(100);
        assert!(rest.bytes().all(|byte| pem.step(byte) == Progress::Open));
        (pem.harmless_until() - 100, pem.undecided_from() + PREFIX.len() as u64 - 100)
    };
    assert_eq!(after("PRIVATE"), (7, 0));
    assert_eq!(after("PRIVATE KEY-----"), (16, 0));
    assert_eq!(after("PRIVATE KEY-----\nshort"), (16, 0));
    let label = "PRIVATE KEY-----\n".len() as u64 + LEAST_RUN as u64;
    let (harmless, undecided) = after(&format!("PRIVATE KEY-----\n{BODY}\n "));
    assert_eq!((harmless, undecided), (label, label + PREFIX.len() as u64));
}
