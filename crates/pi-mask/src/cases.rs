//! Which secrets are masked and which texts are not, one test for each kind.
//!
//! Tokens are put together from parts, so that scanners of secrets do not find any in this file. It is longer than others:
//! each kind has its test, and all of them share these makers of tokens.

use super::{Mask, MaskOptions, MaskedValue};

fn value(name: &str, value: &str) -> MaskedValue {
    MaskedValue { name: name.to_owned(), value: value.to_owned() }
}

fn mask(values: &[(&str, &str)], shapes: bool) -> Mask {
    let values = values.iter().map(|(name, secret)| value(name, secret)).collect();
    let options = MaskOptions { values, shapes, allow: Vec::new() };
    Mask::new(&options).expect("options within limits").expect("something to mask")
}

fn shapes(text: &str) -> String {
    mask(&[], true).text(text).0
}

/// Letters and digits as a token has them, `count` of them.
fn random(count: usize) -> String {
    "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYz".chars().cycle().take(count).collect()
}

fn base32(count: usize) -> String {
    "Q7ZK2MX5RT3WVY4N6JHB".chars().cycle().take(count).collect()
}

fn hex(count: usize) -> String {
    "0f3a9b7c5d1e8264".chars().cycle().take(count).collect()
}

/// A key in PEM of so many lines, between its dashes.
fn pem(label: &str, lines: usize) -> String {
    let body = format!("{}\n", random(64)).repeat(lines);
    format!("-----BEGIN {label}-----\n{body}{}==\n-----END {label}-----\n", random(10))
}

#[test]
fn tokens_of_well_known_forms_are_masked_wherever_they_stand() {
    let tokens = [
        ("github-token", format!("gh{}_{}", "p", random(36))),
        ("github-token", format!("gh{}_{}", "s", random(60))),
        ("github-token", format!("github_{}_{}", "pat", random(82))),
        ("gitlab-token", format!("gl{}-{}", "pat", random(20))),
        ("aws-access-key-id", format!("AK{}{}", "IA", base32(16))),
        ("aws-access-key-id", format!("AS{}{}", "IA", base32(16))),
        ("google-api-key", format!("AI{}{}", "za", random(35))),
        ("google-oauth-secret", format!("GOC{}-{}", "SPX", random(28))),
        ("slack-token", format!("xo{}-123456789012-{}", "xb", random(24))),
        ("stripe-key", format!("sk_{}_{}", "live", random(24))),
        ("stripe-key", format!("rk_{}_{}", "live", random(24))),
        ("openai-key", format!("sk-{}-{}", "proj", random(48))),
        ("openai-key", format!("sk-{}", random(48))),
        ("anthropic-key", format!("sk-{}-api03-{}", "ant", random(90))),
        ("npm-token", format!("np{}_{}", "m", random(36))),
        ("pypi-token", format!("py{}-AgEIcHlwaS5vcmc{}", "pi", random(70))),
        ("huggingface-token", format!("h{}_{}", "f", random(34))),
        ("sendgrid-key", format!("S{}.{}.{}", "G", random(22), random(43))),
        ("digitalocean-token", format!("do{}_v1_{}", "p", hex(64))),
        ("shopify-token", format!("sh{}_{}", "pat", hex(32))),
        ("vault-token", format!("hv{}.{}", "s", random(30))),
        ("docker-token", format!("dckr_{}_{}", "pat", random(27))),
        ("age-secret-key", format!("AGE-SECRET-{}-1{}", "KEY", random(58).to_uppercase())),
        (
            "jwt",
            format!(
                "ey{}.ey{}.{}",
                random(20).replacen("aB", "Jh", 1),
                random(40).replacen("aB", "Jz", 1),
                random(43)
            ),
        ),
    ];
    for (name, token) in tokens {
        for (before, after) in [
            ("", ""),
            ("TOKEN=", "\n"),
            ("{\"token\": \"", "\"}"),
            ("Authorization: Bearer ", "\r\n"),
            ("a\\n", "\\nb"),
            ("x%3D", "&y"),
            ("\u{1b}[01;31m\u{1b}[K", "\u{1b}[m"),
            ("(", ")"),
        ] {
            let text = format!("{before}{token}{after}");
            assert_eq!(shapes(&text), format!("{before}[masked: {name}]{after}"), "{name}");
        }
    }
}

#[test]
fn secrets_behind_the_name_of_their_setting_are_masked_and_the_name_stays() {
    let secret = format!("{}/+{}", random(19), random(19));
    assert_eq!(
        shapes(&format!("aws_secret_access_key = {secret}\n")),
        "aws_secret_access_key = [masked: aws-secret-access-key]\n"
    );
    assert_eq!(
        shapes(&format!("\"SecretAccessKey\": \"{secret}\",")),
        "\"SecretAccessKey\": \"[masked: aws-secret-access-key]\","
    );
    assert_eq!(
        shapes(&format!("AccountName=x;AccountKey={}==;EndpointSuffix", random(86))),
        "AccountName=x;AccountKey=[masked: azure-storage-key];EndpointSuffix"
    );
    assert_eq!(
        shapes(&format!("https://hooks.slack.com/services/T0000/B0000/{}", random(24))),
        "https://hooks.slack.com/services/[masked: slack-webhook]"
    );
}

#[test]
fn the_password_of_a_url_is_masked_and_its_user_and_host_stay() {
    for (url, shown) in [
        ("postgres://me:hunter2@db.example/x", "postgres://me:[masked: url-password]@db.example/x"),
        ("https://u:p@ss@host\n", "https://u:[masked: url-password]@host\n"),
        (
            "git clone 'https://u:t0ken@h.example/r.git'",
            "git clone 'https://u:[masked: url-password]@h.example/r.git'",
        ),
        ("redis://:secret@localhost:6379", "redis://:[masked: url-password]@localhost:6379"),
    ] {
        assert_eq!(shapes(url), shown);
    }
}

#[test]
fn urls_without_a_password_and_templates_stay() {
    for url in [
        "http://localhost:3000",
        "https://example.com:8080/a@b",
        "ssh://git@github.com:22/a/b.git",
        "https://user@host/",
        "https://user:@host/",
        "postgres://user:$PASSWORD@host/",
        "postgres://user:${PASSWORD}@host/",
        "https://user:****@host/",
        "https://user:xxxxx@host/",
        "://",
    ] {
        assert_eq!(shapes(url), url);
    }
}

#[test]
fn a_private_key_is_one_marker_and_its_lines_stay_lines() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
    ] {
        let text = format!("before\n{}after\n", pem(label, 5));
        assert_eq!(
            shapes(&text),
            format!("before\n[masked: private-key]{}after\n", "\n".repeat(8)),
            "{label}"
        );
    }
}

#[test]
fn a_private_key_is_found_in_other_files() {
    let key = pem("RSA PRIVATE KEY", 3);
    let edited = |edit: &dyn Fn(usize, &str) -> String| {
        key.lines().enumerate().map(|(at, line)| edit(at + 1, line)).collect::<Vec<_>>().concat()
    };
    let indented = edited(&|_, line| format!("    {line}\n"));
    let removed = edited(&|_, line| format!("-{line}\n"));
    let added = edited(&|_, line| format!("+{line}\n"));
    let numbered = edited(&|at, line| format!("{at:6}\t{line}\n"));
    let found = edited(&|at, line| format!("{at}:{line}\n"));
    let concatenated = edited(&|_, line| format!("\"{line}\\n\" +\n"));
    let one_line = key.replace('\n', "\\n");
    let spaced = key.replace('\n', " ");
    let headed =
        key.replacen("-----\n", "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n", 1);
    let dos = key.replace('\n', "\r\n");
    for text in
        [indented, removed, added, numbered, found, one_line, spaced, concatenated, headed, dos]
    {
        let shown = shapes(&format!("{text}tail of text\n"));
        assert!(shown.contains("[masked: private-key]"), "{text}");
        assert!(!has_piece(&shown, &random(64)), "{shown}");
        assert!(shown.ends_with("tail of text\n"), "{shown}");
    }
}

#[test]
fn a_key_without_its_end_leaves_the_text_behind_it() {
    let key = pem("PRIVATE KEY", 6);
    let cut = key.lines().take(4).collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(
        shapes(&format!("{cut}hello world, this is prose\nand more of it\n")),
        format!(
            "[masked: private-key]{}hello world, this is prose\nand more of it\n",
            "\n".repeat(4)
        )
    );
    let (in_line, _) = key.split_at(key.len() - 60);
    assert!(!has_piece(&shapes(in_line), &random(64)));
    assert_eq!(shapes(&format!("{cut}aB3")), format!("[masked: private-key]{}", "\n".repeat(4)));
}

#[test]
fn what_only_speaks_of_keys_stays() {
    for text in [
        "if (text.startsWith(\"-----BEGIN PRIVATE KEY-----\")) return parse(text);\nnext();\n",
        "-----BEGIN CERTIFICATE-----\nMIIBaB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzaB3dE5fG7hJ9kL2mN4pQ6rS8tU1\n-----END CERTIFICATE-----\n",
        "-----BEGIN PUBLIC KEY-----\nMIIBaB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzaB3dE5fG7hJ9kL2mN4pQ6rS8tU1\n-----END PUBLIC KEY-----\n",
        "-----BEGIN PRIVATE KEY-----\nshort\n\nwords of prose follow here.\n",
        "-----BEGIN ",
        "-----",
    ] {
        assert_eq!(shapes(text), text);
    }
}

#[test]
fn ordinary_output_stays_as_it_is() {
    let texts = [
        "da39a3ee5e6b4b0d3255bfef95601890afd80709  file\n".to_owned(),
        "\"integrity\": \"sha512-9Xk3xq1bVKGqJ5T0cM8n7lZ2rP6sW4yB1vD3fH5jK7mN9pQ2tU4wX6zA8cE0gI1kLmO3qS5uW7yA9bD1eF3gH5i==\",\n".to_owned(),
        "123e4567-e89b-12d3-a456-426614174000\n".to_owned(),
        "commit 4c633a7d9f0b1e2c3a4d5e6f708192a3b4c5d6e7 (HEAD -> main, origin/main)\n".to_owned(),
        format!("{}\n", random(5000)),
        "task-runner sk-1234 desk-ant-lamp risk-proj-abcdefghijklmnopqrstuvwxyz\n".to_owned(),
        "hf_hub_download(repo_id) npm_config_registry=x npm_lifecycle_event npm_package_json\n".to_owned(),
        "ghp_short gho_ ghs_notlongenough github_pat_short glpat-short\n".to_owned(),
        "AKIAIOSFODNN7EXAMPLE AKIA MAKIABCDEFGHIJKLMNOP1 sk_test_4eC39HqLyjWDarjtT1zdp7dc\n".to_owned(),
        format!("AKIA{}Z\n", base32(16)),
        "eyJhbGciOiJIUzI1NiJ9 eyJhbGciOiJIUzI1NiJ9.notjson.x\n".to_owned(),
        "SG.short.x secret_access_key: true\nAWS_SECRET_ACCESS_KEY is not set\n".to_owned(),
        "resolved \"https://registry.example.org/a/-/a-1.0.0.tgz#0123456789abcdef0123456789abcdef01234567\"\n".to_owned(),
        "/usr/lib/x86_64-linux-gnu/libc.so.6 -> 0x7f3a9b7c5d1e\n".to_owned(),
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==\n".to_owned(),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG1n0x2Yc5b7d9f1h3j5l7n9p1r3t5v7x9z1B3D5F7H9 me@host\n".to_owned(),
    ];
    for text in texts {
        assert_eq!(shapes(&text), text);
    }
}

#[test]
fn a_withheld_value_is_masked_in_each_of_its_forms() {
    let secret = "pa55/w0rd+of\"me & 'you'";
    let mask = mask(&[("DB_PASSWORD", secret)], false);
    let marker = "[masked: DB_PASSWORD]";
    assert_eq!(mask.text(&format!("a {secret} b {secret}")).0, format!("a {marker} b {marker}"));
    assert_eq!(mask.text("x=pa55%2Fw0rd%2Bof%22me%20%26%20%27you%27&y").0, format!("x={marker}&y"));
    assert_eq!(mask.text("\"pa55/w0rd+of\\\"me & 'you'\"").0, format!("\"{marker}\""));
    // `printf %s "$1:$secret" | base64` for users of three lengths.
    for basic in [
        "YTpwYTU1L3cwcmQrb2YibWUgJiAneW91Jw==",
        "YWI6cGE1NS93MHJkK29mIm1lICYgJ3lvdSc=",
        "YWJjOnBhNTUvdzByZCtvZiJtZSAmICd5b3Un",
    ] {
        let (shown, masked) = mask.text(&format!("Authorization: Basic {basic}"));
        assert!(shown.contains(marker), "{shown}");
        assert!(shown.len() < format!("Authorization: Basic {marker}").len() + 9, "{shown}");
        assert_eq!((masked.count, masked.names.len()), (1, 1));
    }
}

#[test]
fn a_long_value_is_masked_in_the_lines_that_base64_makes_of_it() {
    let secret = random(100);
    let mask = mask(&[("API_KEY", &secret)], false);
    let lines = "YUIzZEU1Zkc3aEo5a0wybU40cFE2clM4dFUxdlcweFl6YUIzZEU1Zkc3aEo5a0wybU40cFE2clM4\ndFUxdlcweFl6YUIzZEU1Zkc3aEo5a0wybU40cFE2clM4dFUxdlcweFl6YQo=\n";
    let (shown, masked) = mask.text(lines);
    assert_eq!(masked.count, 2, "{shown}");
    assert!(shown.starts_with("[masked: API_KEY]\n[masked: API_KEY]"), "{shown}");
}

#[test]
fn words_paths_numbers_and_short_values_are_not_masked() {
    for common in [
        "short",
        "production",
        "password",
        "us-east-1",
        "12345678",
        "123456789012",
        "/home/me/.config/key.json",
        "~/keys/service.json",
        "./relative/file",
        "https://gitlab.example.org",
        "https://api.example.org/v1/models",
        "gpt-turbo-latest",
        "my-company",
        "v1.2.3-rc.1",
        "Enabled-",
        "C:\\Users\\me\\key.json",
        "localhost:5432",
    ] {
        let options = MaskOptions { values: vec![value("X", common)], ..MaskOptions::default() };
        assert!(Mask::new(&options).expect("within limits").is_none(), "{common}");
    }
}

#[test]
fn random_values_passphrases_and_passwords_of_urls_are_masked() {
    for secret in [
        "hunter2!x",
        "Tr0ub4dor&3",
        "correct-horse-battery-staple",
        "0123456789abcdef",
        "pässwörter1",
        "/9aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xYzaB3d",
    ] {
        let shown = mask(&[("X", secret)], false).text(&format!("<{secret}>")).0;
        assert_eq!(shown, "<[masked: X]>");
    }
    let mask = mask(&[("DATABASE_URL", "postgres://me:hunter2x9@db/x")], false);
    assert_eq!(mask.text("password is hunter2x9.").0, "password is [masked: DATABASE_URL].");
}

#[test]
fn values_that_overlap_are_one_marker_named_by_the_first_and_longest() {
    let mask = mask(
        &[("SHORT", "abcdef123456"), ("LONG", "xx-abcdef123456-yy"), ("NEXT", "123456-yy-zzz9")],
        false,
    );
    let (shown, masked) = mask.text("<xx-abcdef123456-yy-zzz9>");
    assert_eq!(shown, "<[masked: LONG]>");
    assert_eq!(masked.count, 1);
    assert_eq!(mask.text("<abcdef123456>").0, "<[masked: SHORT]>");
}

#[test]
fn names_that_are_allowed_are_left_alone() {
    let options = MaskOptions {
        values: vec![value("AZURE_TENANT", "0f3a9b7c-5d1e"), value("MY_KEY", "0f3a9b7c-aaaa")],
        shapes: true,
        allow: vec!["AZURE_*".to_owned(), "npm-*".to_owned()],
    };
    let mask = Mask::new(&options).expect("within limits").expect("something");
    let token = format!("np{}_{}", "m", random(36));
    let text = format!("0f3a9b7c-5d1e 0f3a9b7c-aaaa {token}");
    assert_eq!(mask.text(&text).0, format!("0f3a9b7c-5d1e [masked: MY_KEY] {token}"));
}

#[test]
fn a_prompt_shows_at_once_and_what_began_with_it_is_still_masked() {
    let secret = "s3cr3t-value-9";
    let mask = mask(&[("KEY", secret)], true);
    let mut masker = mask.masker();
    let mut shown = Vec::new();
    masker.push(b"Continue? [y/N] s", |bytes| shown.extend_from_slice(bytes));
    masker.show_begun(|bytes| shown.extend_from_slice(bytes));
    assert_eq!(shown, b"Continue? [y/N] s", "one letter says nothing");

    masker.push(&secret.as_bytes()[1..6], |bytes| shown.extend_from_slice(bytes));
    masker.show_begun(|bytes| shown.extend_from_slice(bytes));
    assert_eq!(shown, b"Continue? [y/N] s3c", "three letters are shown at most");

    masker.push(&secret.as_bytes()[6..], |bytes| shown.extend_from_slice(bytes));
    assert_eq!(shown, b"Continue? [y/N] s3c[masked: KEY]");

    masker.push(b"\nready on http://localhost:3000", |bytes| shown.extend_from_slice(bytes));
    masker.show_begun(|bytes| shown.extend_from_slice(bytes));
    assert!(shown.ends_with(b"http://localhost:3000"), "a port is not a password");

    masker.push(format!("\nsk-{}-", "ant").as_bytes(), |bytes| shown.extend_from_slice(bytes));
    masker.push(&random(10).into_bytes(), |bytes| shown.extend_from_slice(bytes));
    masker.show_begun(|bytes| shown.extend_from_slice(bytes));
    assert!(shown.ends_with(format!("\nsk-{}-", "ant").as_bytes()), "the prefix is public");
    masker.finish(|bytes| shown.extend_from_slice(bytes));
    assert!(shown.ends_with(random(10).as_bytes()), "too short to be a key");
}

#[test]
fn a_stream_that_is_read_from_the_middle_gives_nothing_of_what_came_before() {
    let key = pem("RSA PRIVATE KEY", 4);
    let mask = mask(&[("KEY", "s3cr3t-value-9")], true);
    for cut in 1..key.len() {
        let (before, after) = key.as_bytes().split_at(cut);
        let mut masker = mask.masker();
        let mut shown = Vec::new();
        masker.skip(before);
        masker.push(after, |bytes| shown.extend_from_slice(bytes));
        masker.push(b"s3cr3t-value-9.", |bytes| shown.extend_from_slice(bytes));
        masker.finish(|bytes| shown.extend_from_slice(bytes));

        let shown = String::from_utf8(shown).expect("text");
        let begun_late = shown.replace("[masked: private-key]", "");
        let lines = bytecount::count(after, b'\n');
        let header = key.find('\n').unwrap_or_default();
        if cut > header {
            assert_eq!(begun_late, format!("{}[masked: KEY].", "\n".repeat(lines)), "{cut}");
        }
        assert!(!has_piece(&shown, &random(64)), "{cut}: {shown}");
    }
}

#[test]
fn too_many_values_are_refused_without_naming_them() {
    let values = (0..300).map(|number| value("N", &format!("s3cret-{number}"))).collect();
    let error = Mask::new(&MaskOptions { values, ..MaskOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("300") && !error.to_string().contains("s3cret"), "{error}");
    let values = vec![value("N", &random(16 * 1024)); 9];
    let error = Mask::new(&MaskOptions { values, ..MaskOptions::default() }).unwrap_err();
    assert!(!error.to_string().contains(&random(8)), "{error}");
}

#[test]
fn debug_output_has_names_and_counts_and_no_values() {
    let options = MaskOptions {
        values: vec![value("KEY", "s3cr3t-value-9")],
        shapes: true,
        allow: Vec::new(),
    };
    let mask = Mask::new(&options).expect("within limits").expect("something");
    let mut masker = mask.masker();
    masker.push(b"s3cr3t-va", |_| {});
    assert_eq!(format!("{:?}", options.values), "[MaskedValue { name: \"KEY\", .. }]");
    assert_eq!(format!("{mask:?} {masker:?}"), "Mask { .. } Masker { count: 0, .. }");
    assert!(!format!("{options:?}").contains("s3c"));
}

/// Whether four characters in a row of `secret` are in `text`.
pub(super) fn has_piece(text: &str, secret: &str) -> bool {
    secret.as_bytes().windows(4).any(|piece| text.as_bytes().windows(4).any(|other| other == piece))
}
