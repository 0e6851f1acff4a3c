//! What rules allow, and which are refused before anything uses them.

use proptest::prelude::*;

use super::*;

fn rules(texts: &[&str]) -> Rules {
    Rules::parse(&texts.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

fn content(texts: &[&str], target: &str) -> Option<Content> {
    rules(texts).content_for(&Target::parse(target, None).unwrap())
}

#[test]
fn a_host_has_the_ports_of_http_and_https_unless_it_names_one() {
    assert_eq!(content(&["a.example"], "a.example:443"), Some(Content::Tls));
    assert_eq!(content(&["a.example"], "a.example:80"), Some(Content::Http));
    assert_eq!(content(&["a.example"], "a.example:22"), None);
    assert_eq!(content(&["a.example:22"], "a.example:22"), Some(Content::Anything));
    assert_eq!(content(&["a.example:22"], "a.example:443"), None);
    assert_eq!(content(&["a.example:443"], "a.example:443"), Some(Content::Tls));
    assert_eq!(content(&["a.example:443"], "a.example:80"), None);
}

#[test]
fn a_name_is_that_name_and_no_other() {
    for target in [
        "b.a.example:443",
        "xa.example:443",
        "a.example.evil.example:443",
        "example:443",
        "a-example:443",
    ] {
        assert_eq!(content(&["a.example"], target), None, "{target}");
    }
    assert!(content(&["A.Example"], "a.eXAMPLE:443").is_some());
}

#[test]
fn a_star_stands_for_names_below_and_never_for_the_name_or_its_neighbours() {
    for target in ["x.a.example:443", "x.y.a.example:443"] {
        assert!(content(&["*.a.example"], target).is_some(), "{target}");
    }
    for target in ["a.example:443", "xa.example:443", "a.example.evil.example:443"] {
        assert_eq!(content(&["*.a.example"], target), None, "{target}");
    }
    assert_eq!(content(&["*.a.example:8443"], "x.a.example:443"), None);
    assert_eq!(content(&["*.a.example:8443"], "x.a.example:8443"), Some(Content::Anything));
}

#[test]
fn an_address_is_allowed_by_itself_with_its_port() {
    let texts = ["127.0.0.1:4873", "[::1]:4873"];
    assert_eq!(content(&texts, "127.0.0.1:4873"), Some(Content::Anything));
    assert_eq!(content(&texts, "[0:0:0::1]:4873"), Some(Content::Anything));
    for target in ["127.0.0.1:4874", "[::ffff:127.0.0.1]:4873", "127.0.0.2:4873", "localhost:4873"]
    {
        assert_eq!(content(&texts, target), None, "{target}");
    }
    let rules = rules(&texts);
    assert_eq!(rules.check_address("127.0.0.1".parse().unwrap(), 4873), Ok(()));
    assert_eq!(rules.check_address("127.0.0.1".parse().unwrap(), 443), Err("loopback"));
    assert_eq!(rules.check_address("::ffff:127.0.0.1".parse().unwrap(), 4873), Err("loopback"));
    assert_eq!(rules.check_address("1.1.1.1".parse().unwrap(), 443), Ok(()));
}

#[test]
fn a_rule_that_says_nothing_or_too_much_is_refused_with_its_text() {
    for text in [
        "",
        " ",
        "*",
        "*.",
        "*.com",
        "**.a.example",
        "a.*.example",
        "*a.example",
        "*.*.a.example",
        "https://a.example",
        "a.example/path",
        "10.0.0.0/8",
        "a.example:",
        "a.example:0",
        "a.example:65536",
        "a.example:80,443",
        "a.example:*",
        "a.example:80-90",
        "u@a.example",
        "a.example.",
        "a b.example",
        "a\0.example",
        "bücher.example",
        "127.0.0.1",
        "[::1]",
        "::1",
        "2130706433:80",
        "0x7f.1:80",
        "127.1:80",
        "[::ffff:127.0.0.1]:80",
        "0.0.0.0:80",
        "[::]:80",
        "224.0.0.1:80",
        "localhost",
        "*.127.0.0.1:80",
        "[fe80::1%eth0]:80",
    ] {
        let error = Rules::parse(&[text.to_owned()]).unwrap_err();
        assert!(error.to_string().contains(&text.escape_debug().to_string()), "{error}");
    }
    assert_eq!(Rules::parse(&vec!["a.example".to_owned(); 257]), Err(RuleError::TooMany));
}

#[test]
fn the_rule_to_add_allows_what_was_refused() {
    for (target, expected) in [
        ("a.example:443", Some("a.example")),
        ("a.example:22", Some("a.example:22")),
        ("127.0.0.1:80", Some("127.0.0.1:80")),
        ("[::1]:443", Some("[::1]:443")),
        ("localhost:80", Some("localhost:80")),
        ("0.0.0.0:80", None),
        ("[::ffff:127.0.0.1]:80", None),
    ] {
        let target = Target::parse(target, None).unwrap();
        let rule = rule_for(&target);
        assert_eq!(rule.as_deref(), expected);
        if let Some(rule) = rule {
            assert!(rules(&[&rule]).content_for(&target).is_some());
        }
    }
}

#[test]
fn programs_reach_their_own_loopback_but_for_what_rules_name() {
    assert_eq!(rules(&["a.example"]).own_loopback_names(), ["localhost", "127.0.0.1", "::1"]);
    assert_eq!(rules(&["127.0.0.1:4873"]).own_loopback_names(), ["localhost", "::1"]);
    assert_eq!(rules(&["localhost:4873", "[::1]:1"]).own_loopback_names(), ["127.0.0.1"]);
}

proptest! {
    #[test]
    fn no_text_allows_a_name_that_does_not_end_in_its_own(rule in "\\PC{0,30}", name in "[a-z.]{1,30}") {
        let Ok(rules) = Rules::parse(std::slice::from_ref(&rule)) else { return Ok(()) };
        let Ok(target) = Target::parse(&format!("{name}:443"), None) else { return Ok(()) };
        if rules.content_for(&target).is_some() {
            let host = rule.to_ascii_lowercase();
            let host = host.split(':').next().unwrap_or_default().trim_start_matches('*');
            prop_assert!(name.ends_with(host));
        }
    }
}
