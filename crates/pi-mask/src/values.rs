//! Which values are worth masking, and the forms in which they show.
//!
//! A value that is a common word, a number or a path would be masked wherever it stands, and its name says nothing
//! secret: `production` in `SENTRY_ENVIRONMENT` must not vanish from a log. So those are left out. Not here: who
//! withholds which variable.

/// Shortest value that is masked, in bytes. A shorter one is in too many texts by chance.
pub const MIN_VALUE_BYTES: usize = 8;

/// Longest value that is masked, in bytes. A longer one is a document, and each of its parts may be public.
pub const MAX_VALUE_BYTES: usize = 16 * 1024;

/// Shortest value that may be made of words or digits: a passphrase.
const LEAST_WORDS_BYTES: usize = 20;

/// Shortest piece that can be random.
const LEAST_RANDOM_BYTES: usize = 16;

/// Shortest form of base64 that is looked for: what a value shares with others must not be enough.
const LEAST_BASE64_BYTES: usize = 10;

/// Length of a line of base64 where a program breaks it (RFC 2045).
const BASE64_LINE: usize = 76;

/// Shortest last line of base64 that is looked for.
const LEAST_BASE64_LINE: usize = 16;

/// What to look for where `value` is secret: the value, or its password where it is a URL. `None`: it is not masked.
pub(super) fn secret_of(value: &str) -> Option<&str> {
    let value = value.trim();
    if value.len() < MIN_VALUE_BYTES || value.len() > MAX_VALUE_BYTES {
        return None;
    }
    if let Some((_, rest)) = value.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let password = authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':'));
        if let Some((_, password)) = password {
            return secret_of(password);
        }
        // A webhook's URL is a secret, the address of a service is not.
        return has_random_part(rest).then_some(value);
    }
    let is_common = is_path(value) || is_words(value);
    (!is_common).then_some(value)
}

/// Each form in which `secret` may stand in a text, the plain one first.
pub(super) fn forms_of(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.as_bytes().to_vec()];
    for encoded in [
        percent_encoded(secret, b"-_.~"),
        percent_encoded(secret, b"-_.!~*'()"),
        json_escaped(secret),
    ] {
        forms.push(encoded.into_bytes());
    }
    for offset in 0..3 {
        let standard = base64_at(secret.as_bytes(), offset);
        if standard.len() >= LEAST_BASE64_BYTES {
            let url_safe = standard.iter().map(|byte| match byte {
                b'+' => b'-',
                b'/' => b'_',
                other => *other,
            });
            forms.push(url_safe.collect());
            forms.push(standard);
        }
    }
    // The lines that `base64` makes of a value alone.
    let lines = base64_at(secret.as_bytes(), 0);
    forms.extend(
        lines
            .chunks(BASE64_LINE)
            .filter(|line| line.len() >= LEAST_BASE64_LINE)
            .map(<[u8]>::to_vec),
    );
    let mut unique: Vec<Vec<u8>> = Vec::new();
    for form in forms {
        if !unique.contains(&form) {
            unique.push(form);
        }
    }
    unique
}

/// A path that names a file: it may be looked at, what is in it is the secret.
fn is_path(value: &str) -> bool {
    let is_rooted = value.starts_with(['/', '~', '.']) || value.get(1..3) == Some(":\\");
    is_rooted && !value.contains('\n') && !has_random_part(value)
}

/// Words, numbers, names of hosts and versions, where they are short.
fn is_words(value: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let is_alphabetic = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        let tail = word.get(1..).unwrap_or_default();
        let is_one_case = tail.bytes().all(|byte| byte.is_ascii_lowercase())
            || word.bytes().all(|byte| byte.is_ascii_uppercase());
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let is_whole = word.len() == value.len();
        (is_alphabetic && is_one_case) || (is_number && (word.len() <= 4 || is_whole))
    };
    value.len() < LEAST_WORDS_BYTES && value.split(['-', '_', '.', ' ', ':', '/', ',']).all(is_word)
}

/// Some part looks like chance: letters of both cases and digits, or hexadecimal digits, for long.
fn has_random_part(value: &str) -> bool {
    value.split(|byte: char| !byte.is_ascii_alphanumeric()).any(|part| {
        let has = |test: fn(&u8) -> bool| part.as_bytes().iter().any(test);
        part.len() >= LEAST_RANDOM_BYTES
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_alphabetic)
            && (part.bytes().all(|byte| byte.is_ascii_hexdigit())
                || (has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)))
    })
}

fn percent_encoded(value: &str, kept: &[u8]) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for digit in [byte >> 4, byte & 15] {
                encoded.extend(
                    char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()),
                );
            }
        }
    }
    encoded
}

fn json_escaped(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// What is the same in every base64 of a text in which `value` stands behind 3n + `offset` bytes (`user:value` of HTTP's
/// basic authorization): the characters that depend on nothing but the value.
fn base64_at(value: &[u8], offset: usize) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let skipped = (3 - offset) % 3;
    let bits = |from: usize| -> usize {
        let byte = |at: usize| usize::from(value.get(at).copied().unwrap_or_default());
        (byte(from) << 16) | (byte(from + 1) << 8) | byte(from + 2)
    };
    let mut encoded = Vec::new();
    let character =
        |encoded: &mut Vec<u8>, sextet: usize| encoded.extend(ALPHABET.get(sextet & 63));
    match skipped {
        // The last character or two of the quartet that the value begins in.
        1 => character(&mut encoded, bits(0) >> 16),
        2 => {
            character(&mut encoded, bits(0) >> 14);
            character(&mut encoded, bits(0) >> 8);
        }
        _ => {}
    }
    let mut from = skipped;
    while from + 3 <= value.len() {
        for shift in [18, 12, 6, 0] {
            character(&mut encoded, bits(from) >> shift);
        }
        from += 3;
    }
    match value.len().saturating_sub(from) {
        1 => character(&mut encoded, bits(from) >> 18),
        2 => {
            character(&mut encoded, bits(from) >> 18);
            character(&mut encoded, bits(from) >> 12);
        }
        _ => {}
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By bits: the base64 of `bytes` as far as whole characters go.
    fn base64(bytes: &[u8]) -> Vec<u8> {
        let alphabet = [b'A'..=b'Z', b'a'..=b'z', b'0'..=b'9', b'+'..=b'+', b'/'..=b'/'];
        let alphabet: Vec<u8> = alphabet.into_iter().flatten().collect();
        let bits: Vec<bool> = bytes
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1))
            .collect();
        let number = |six: &[bool]| six.iter().fold(0, |sum, bit| 2 * sum + usize::from(*bit));
        bits.chunks_exact(6).map(|six| alphabet[number(six)]).collect()
    }

    #[test]
    fn base64_behind_any_text_has_the_characters_that_only_the_value_makes() {
        let value: Vec<u8> = (0..40_u8).map(|at| at.wrapping_mul(97).wrapping_add(11)).collect();
        for length in 8..value.len() {
            let value = &value[..length];
            for offset in 0..3 {
                let whole = base64(&[&[0xa5; 2][..offset], value].concat());
                let first = (offset * 8).div_ceil(6);
                assert_eq!(base64_at(value, offset), whole[first..], "{length}, {offset}");
            }
        }
    }

    #[test]
    fn a_value_is_neither_short_nor_a_document() {
        let random = |length: usize| "aB3!".repeat(length / 4 + 1).split_at(length).0.to_owned();
        for (length, is_secret) in [
            (MIN_VALUE_BYTES - 1, false),
            (MIN_VALUE_BYTES, true),
            (16 * 1024, true),
            (16 * 1024 + 1, false),
        ] {
            assert_eq!(secret_of(&random(length)).is_some(), is_secret, "{length}");
        }
        assert_eq!(secret_of("  hunter2!x\n"), Some("hunter2!x"));
    }

    #[test]
    fn of_a_url_its_password_is_secret_or_a_part_that_looks_random() {
        let hook = "https://hooks.example/aB3dE5fG7hJ9kL2m";
        assert_eq!(secret_of(hook), Some(hook));
        for (url, secret) in [
            ("https://example.org/path/of/pages", None),
            ("https://me@example.org/", None),
            ("postgres://me:hunter2!x@db/x", Some("hunter2!x")),
            ("postgres://me:hunter2!x@y@db?a@b", Some("hunter2!x@y")),
            ("postgres://me:production@db", None),
            ("https://example.org/?a=b:hunter2!x@c", None),
            ("https://example.org#me:hunter2!x@c", None),
        ] {
            assert_eq!(secret_of(url), secret, "{url}");
        }
    }

    #[test]
    fn paths_are_not_secret_unless_a_part_looks_random() {
        for (path, is_one) in [
            ("/etc/ssl/key.pem", true),
            ("~/key", true),
            ("./key", true),
            ("C:\\key", true),
            ("C:/key", false),
            ("key/file", false),
            ("/etc/a\nb", false),
            ("/aB3dE5fG7hJ9kL2m", false),
        ] {
            assert_eq!(is_path(path), is_one, "{path}");
        }
    }

    #[test]
    fn words_numbers_and_versions_are_not_secret_where_they_are_short() {
        for (text, are_words) in [
            ("my-company_name.x y", true),
            ("Enabled", true),
            ("DEBUG", true),
            ("enaBled", false),
            ("v1.2.3", true),
            ("us-east-1234", true),
            ("us-east-12345", false),
            ("12345678", true),
            ("a1b2c3d4", false),
            ("abcdefghijklmnopqrs", true),
            ("abcdefghijklmnopqrst", false),
        ] {
            assert_eq!(is_words(text), are_words, "{text}");
        }
    }

    #[test]
    fn a_part_looks_random_where_it_is_long_and_mixed() {
        for (text, is_random) in [
            ("aB3dE5fG7hJ9kL2m", true),
            ("aB3dE5fG7hJ9kL2", false),
            ("0f3a9b7c5d1e8264", true),
            ("0F3A9B7C5D1E8264", true),
            ("1234567890123456", false),
            ("abcdefabcdefabcd", false),
            ("aBcDeFgHiJkLmNoP", false),
            ("ab3de5fg7hj9kl2m", false),
            ("AB3DE5FG7HJ9KL2M", false),
            ("words/aB3dE5fG7hJ9kL2m?x", true),
            ("aB3dE5fG-7hJ9kL2m", false),
        ] {
            assert_eq!(has_random_part(text), is_random, "{text}");
        }
    }

    #[test]
    fn a_value_is_written_as_programs_escape_it() {
        assert_eq!(percent_encoded("aZ9-_.~/ é!", b"-_.~"), "aZ9-_.~%2F%20%C3%A9%21");
        assert_eq!(percent_encoded("(!)", b"!"), "%28!%29");
        assert_eq!(json_escaped("a\"b\\c\nd\re\tfé"), "a\\\"b\\\\c\\nd\\re\\tfé");
    }

    #[test]
    fn the_forms_of_a_value_are_each_there_once_and_the_plain_one_first() {
        let texts = |secret: &str| -> Vec<String> {
            forms_of(secret).into_iter().map(|form| String::from_utf8(form).unwrap()).collect()
        };
        // What is not escaped at all is one form.
        let plain = texts("aaaaaaaa");
        assert_eq!(plain, ["aaaaaaaa", "YWFhYWFhYW", "FhYWFhYWFh", "hYWFhYWFhY"]);
        let short = texts("a!b");
        assert_eq!(short, ["a!b", "a%21b"]);
        let both = texts("???>>>>>~~");
        assert!(both.contains(&"Pz8/Pj4+Pj5+f".to_owned()), "{both:?}");
        assert!(both.contains(&"Pz8_Pj4-Pj5-f".to_owned()), "{both:?}");
    }

    #[test]
    fn a_long_value_is_looked_for_in_lines_of_base64_as_well() {
        let lines = |length: usize| {
            let secret = "aB3dE5fG7hJ".repeat(20).split_at(length).0.to_owned();
            let whole = base64_at(secret.as_bytes(), 0);
            let forms = forms_of(&secret);
            whole.chunks(BASE64_LINE).filter(|line| forms.iter().any(|one| one == line)).count()
        };
        assert_eq!(lines(57), 1, "one line is the whole");
        assert_eq!(lines(58), 1, "a last line of two characters is in other texts");
        assert_eq!(lines(57 + 11), 1);
        assert_eq!(lines(57 + 12), 2);
        assert_eq!(lines(130), 3);
    }
}
