//! What holds for any text, any values and any split.

use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;

use super::cases::has_piece;
use super::{Mask, MaskOptions, Masked, MaskedValue};

/// Values that share beginnings, ends and characters, so that they overlap and repeat.
const SECRETS: [&str; 7] = [
    "aab1aab2",
    "ab2aab1aab9",
    "b1aab2ab2aab1x",
    "line1\nline2\nline3!",
    "éa9é\u{1f600}b8c",
    "aaaaaaaa1",
    "sk-ant-b1aab2ab2aab1xaab1aab2",
];

fn everything() -> &'static Mask {
    static MASK: LazyLock<Mask> = LazyLock::new(compiled);
    &MASK
}

fn compiled() -> Mask {
    let values = SECRETS
        .iter()
        .enumerate()
        .map(|(at, secret)| MaskedValue { name: format!("V{at}"), value: (*secret).to_owned() })
        .collect();
    let options = MaskOptions { values, shapes: true, allow: Vec::new() };
    Mask::new(&options).expect("within limits").expect("something")
}

/// Pieces that begin, end and look like secrets.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (0..SECRETS.len()).prop_map(|at| SECRETS[at].to_owned()),
        3 => (0..SECRETS.len(), 1_usize..12).prop_map(|(at, count)| SECRETS[at].chars().take(count).collect()),
        1 => Just("a".repeat(30)),
        1 => (30_usize..45).prop_map(|count| format!("ghp_{}", "aB3d".repeat(12).chars().take(count).collect::<String>())),
        1 => Just("glpat-glpat-glpat-aB3dE5fG7hJ9kL2mN4pQ".to_owned()),
        1 => Just("https://user:pa55@word@host/".to_owned()),
        1 => Just("://a:b".to_owned()),
        1 => Just("eyJhbGciOiJI.eyJzdWIiOiIx.c2ln".to_owned()),
        1 => Just(format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n{}\n", "aB3dE5fG".repeat(8), "aB3dE5fG".repeat(3))),
        1 => Just("-----END RSA PRIVATE KEY-----".to_owned()),
        1 => Just("-----".to_owned()),
        1 => Just("AKIAQ7ZK2MX5RT3WVY4N".to_owned()),
        1 => Just("secret_access_key = \"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\"".to_owned()),
        3 => Just("\n".to_owned()),
        2 => Just(" ".to_owned()),
        2 => "[ -~]{0,12}",
        1 => "\\PC{0,4}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    vec(piece(), 0..14).prop_map(|pieces| pieces.concat())
}

fn in_pieces(mask: &Mask, text: &[u8], lengths: &[usize]) -> (Vec<u8>, Masked) {
    let mut masker = mask.masker();
    let mut shown = Vec::new();
    let mut rest = text;
    for length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (now, later) = rest.split_at(rest.len().min(*length));
        masker.push(now, |bytes| shown.extend_from_slice(bytes));
        rest = later;
    }
    masker.finish(|bytes| shown.extend_from_slice(bytes));
    (shown, masker.masked())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_gives_the_text_of_the_whole(text in text(), lengths in vec(1_usize..40, 1..5)) {
        let mask = everything();
        let whole = in_pieces(mask, text.as_bytes(), &[usize::MAX]);

        prop_assert_eq!(in_pieces(mask, text.as_bytes(), &lengths), whole.clone());
        prop_assert_eq!(in_pieces(mask, text.as_bytes(), &[1]), whole);
    }

    #[test]
    fn each_line_stays_a_line_and_the_text_stays_text(text in text()) {
        let (shown, _) = everything().text(&text);

        prop_assert_eq!(shown.matches('\n').count(), text.matches('\n').count());
        let is_torn = shown.contains(char::REPLACEMENT_CHARACTER) && !text.contains(char::REPLACEMENT_CHARACTER);
        prop_assert!(!is_torn);
    }

    #[test]
    fn nothing_of_a_value_is_left_where_it_stood(
        before in "[c-m ]{0,20}",
        after in "[c-m ]{0,20}",
        at in 0..SECRETS.len(),
        lengths in vec(1_usize..9, 1..5),
    ) {
        let secret = SECRETS[at];
        let text = format!("{before}{secret}{after}");

        let (shown, masked) = in_pieces(everything(), text.as_bytes(), &lengths);

        let shown = String::from_utf8(shown).expect("text");
        prop_assert!(masked.count >= 1);
        let unnamed = shown.replace("[masked: ", "");
        prop_assert!(!has_piece(&unnamed, secret), "{}", shown);
    }

    #[test]
    fn no_value_is_left_in_any_text(text in text()) {
        let (shown, _) = everything().text(&text);

        for secret in SECRETS {
            prop_assert!(!shown.contains(secret), "{:?} in {:?}", secret, shown);
        }
    }

    #[test]
    fn a_stream_that_is_shown_as_it_comes_shows_no_more_of_a_value(
        before in "[c-m ]{0,20}",
        at in 0..SECRETS.len(),
        lengths in vec(1_usize..5, 1..5),
    ) {
        let mask = everything();
        let secret = SECRETS[at];
        let text = format!("{before}{secret}.");
        let mut masker = mask.masker();
        let mut shown = Vec::new();
        let mut rest = text.as_bytes();
        for length in lengths.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*length));
            masker.push(now, |bytes| shown.extend_from_slice(bytes));
            masker.show_begun(|bytes| shown.extend_from_slice(bytes));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        masker.finish(|bytes| shown.extend_from_slice(bytes));

        let shown = String::from_utf8_lossy(&shown).replace("[masked: ", "");
        let private = secret.strip_prefix("sk-ant-").unwrap_or(secret);
        prop_assert!(!has_piece(&shown, private), "{}", shown);
    }

    #[test]
    fn bytes_that_are_not_text_are_masked_alike(bytes in vec(any::<u8>(), 0..60), lengths in vec(1_usize..9, 1..4)) {
        let mask = everything();
        let stream = [bytes.as_slice(), SECRETS[0].as_bytes(), &bytes].concat();

        let (shown, masked) = in_pieces(mask, &stream, &lengths);

        prop_assert!(masked.count >= 1);
        prop_assert_eq!(shown, in_pieces(mask, &stream, &[usize::MAX]).0);
    }

    #[test]
    fn text_without_a_secret_is_given_out_byte_for_byte(text in "[c-m0-9 .,:;\n]{0,400}", lengths in vec(1_usize..50, 1..5)) {
        let (shown, masked) = in_pieces(everything(), text.as_bytes(), &lengths);

        prop_assert_eq!(shown, text.into_bytes());
        prop_assert_eq!(masked, Masked::default());
    }
}

/// Texts that make a search with backtracking quadratic, twice as long each time.
#[test]
fn time_is_linear_in_hostile_text() {
    let hostile = [
        "a",
        "aab1",
        "glpat-",
        "ghp_",
        "://a:",
        "eyJ-",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN ",
        "sk-ant-",
        "secret_access_key=",
        "AKIA",
        "xoxb-",
        "SG.",
        "aaaaaaaa",
    ];
    let mask = everything();
    let seconds = |seed: &str, count: usize| {
        let text = seed.repeat(count / seed.len());
        let best = (0..3).map(|_| {
            let start = thread_time().as_secs_f64();
            let (shown, _) = in_pieces(mask, text.as_bytes(), &[4096]);
            std::hint::black_box(shown);
            thread_time().as_secs_f64() - start
        });
        best.fold(f64::MAX, f64::min)
    };
    for seed in hostile {
        // Eight times the text: linear is 8, quadratic 64. Other work of the machine spoils caches, not all of the time.
        let is_linear = (0..8).any(|_| seconds(seed, 1 << 17) < seconds(seed, 1 << 14) * 24.0);
        assert!(is_linear, "{seed:?}");
    }
}

/// How long this thread has run; on a busy machine it runs for a part of the time.
#[cfg(unix)]
fn thread_time() -> std::time::Duration {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

#[cfg(not(unix))]
fn thread_time() -> std::time::Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}
