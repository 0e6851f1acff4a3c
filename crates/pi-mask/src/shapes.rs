//! The forms of well-known tokens: what each begins with, and what has to follow.
//!
//! A form is in the table only where its issuer documents a beginning that nothing else has, or where secret scanners
//! agree on it. So digests, UUIDs, integrity values and base64 are not taken for tokens. Not here: what is not one
//! token (`pem.rs`, `url.rs`), and how a stream is looked through (`masker.rs`).

/// Characters of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Letters and digits.
    Alnum,
    /// Letters, digits and `_`.
    Name,
    /// Letters, digits, `_` and `-`: the alphabet of URL-safe base64.
    Word,
    /// Letters, digits and `-`.
    Dashed,
    /// Capital letters and the digits 2 to 7: the alphabet of base32.
    Base32,
    /// Capital letters and digits.
    Upper,
    /// Lower-case hexadecimal digits.
    Hex,
    /// Letters, digits, `+`, `/` and `=`: the alphabet of base64.
    Base64,
    /// Letters, digits and `/`.
    Path,
    /// What stands between the name of a setting and its value.
    Between,
}

impl Class {
    /// Whether the class has this byte.
    pub(super) fn has(self, byte: u8) -> bool {
        let alnum = byte.is_ascii_alphanumeric();
        match self {
            Self::Alnum => alnum,
            Self::Name => alnum || byte == b'_',
            Self::Word => alnum || matches!(byte, b'_' | b'-'),
            Self::Dashed => alnum || byte == b'-',
            Self::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            Self::Base64 => alnum || matches!(byte, b'+' | b'/' | b'='),
            Self::Path => alnum || byte == b'/',
            Self::Between => {
                matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'\\' | b':' | b'=' | b',')
            }
        }
    }
}

/// A part of a token.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// As many characters of the class as there are, at least so many.
    AtLeast(Class, usize),
    /// Exactly so many, and none of the class after them.
    Exactly(Class, usize),
    /// At least one and at most so many, of a part that is not secret.
    UpTo(Class, usize),
    /// These bytes.
    Bytes(&'static [u8]),
}

/// What a token of one kind looks like.
#[derive(Debug)]
pub(super) struct Shape {
    /// The kind, as the marker names it.
    pub(super) name: &'static str,
    /// What it begins with. Public: no part of a secret.
    pub(super) prefix: &'static [u8],
    /// What follows.
    pub(super) steps: &'static [Step],
    /// The secret begins behind the prefix and the first step: those say what it is.
    pub(super) is_labelled: bool,
}

/// What the bytes behind a prefix are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Not a token.
    No,
    /// It depends on what follows.
    Undecided,
    /// A token from `start` to `end`. `open`: it goes on as long as there are characters of the class.
    Token { start: usize, end: usize, open: Option<Class> },
}

const fn shape(name: &'static str, prefix: &'static [u8], steps: &'static [Step]) -> Shape {
    Shape { name, prefix, steps, is_labelled: false }
}

const fn labelled(name: &'static str, prefix: &'static [u8], steps: &'static [Step]) -> Shape {
    Shape { name, prefix, steps, is_labelled: true }
}

use Class::{Alnum, Base32, Base64, Between, Dashed, Hex, Name, Path, Upper, Word};
use Step::{AtLeast, Bytes, Exactly, UpTo};

const SECRET_ACCESS_KEY: &[Step] = &[UpTo(Between, 8), Exactly(Base64, 40)];

/// The table. Sources: the issuers' documents that are named, and the rules of gitleaks, trufflehog and GitHub's secret
/// scanning where "scanners" is named.
pub(super) const SHAPES: &[Shape] = &[
    // docs.github.com, "About authentication to GitHub", token formats; 36 characters or more behind the prefix.
    shape("github-token", b"ghp_", &[AtLeast(Name, 36)]),
    shape("github-token", b"gho_", &[AtLeast(Name, 36)]),
    shape("github-token", b"ghu_", &[AtLeast(Name, 36)]),
    shape("github-token", b"ghs_", &[AtLeast(Name, 36)]),
    shape("github-token", b"ghr_", &[AtLeast(Name, 36)]),
    shape("github-token", b"github_pat_", &[AtLeast(Name, 36)]),
    // docs.gitlab.com, "Token overview", token prefixes.
    shape("gitlab-token", b"glpat-", &[AtLeast(Word, 20)]),
    shape("gitlab-token", b"gldt-", &[AtLeast(Word, 20)]),
    shape("gitlab-token", b"glrt-", &[AtLeast(Word, 20)]),
    shape("gitlab-token", b"glptt-", &[AtLeast(Word, 20)]),
    shape("gitlab-token", b"glcbt-", &[AtLeast(Word, 20)]),
    // docs.aws.amazon.com, IAM identifiers: AKIA is a long-term key, ASIA a temporary one; base32 by the scanners.
    shape("aws-access-key-id", b"AKIA", &[Exactly(Base32, 16)]),
    shape("aws-access-key-id", b"ASIA", &[Exactly(Base32, 16)]),
    // The same page: 40 characters of base64. Nothing marks them but the setting that they stand behind.
    labelled("aws-secret-access-key", b"secret_access_key", SECRET_ACCESS_KEY),
    labelled("aws-secret-access-key", b"SECRET_ACCESS_KEY", SECRET_ACCESS_KEY),
    labelled("aws-secret-access-key", b"SecretAccessKey", SECRET_ACCESS_KEY),
    labelled("aws-secret-access-key", b"secretAccessKey", SECRET_ACCESS_KEY),
    // cloud.google.com, API keys (39 characters); OAuth client secrets and access tokens by the scanners.
    shape("google-api-key", b"AIza", &[Exactly(Word, 35)]),
    shape("google-oauth-secret", b"GOCSPX-", &[Exactly(Word, 28)]),
    shape("google-oauth-token", b"ya29.", &[AtLeast(Word, 30)]),
    // learn.microsoft.com, storage connection strings (64 bytes) and SAS policies (32 bytes), both in base64.
    labelled("azure-storage-key", b"AccountKey", &[UpTo(Between, 2), Exactly(Base64, 88)]),
    labelled(
        "azure-shared-access-key",
        b"SharedAccessKey",
        &[UpTo(Between, 2), Exactly(Base64, 44)],
    ),
    // docs.slack.dev, token types; webhooks by the scanners.
    shape("slack-token", b"xoxb-", &[AtLeast(Dashed, 20)]),
    shape("slack-token", b"xoxp-", &[AtLeast(Dashed, 20)]),
    shape("slack-token", b"xoxa-", &[AtLeast(Dashed, 20)]),
    shape("slack-token", b"xoxr-", &[AtLeast(Dashed, 20)]),
    shape("slack-token", b"xoxs-", &[AtLeast(Dashed, 20)]),
    shape("slack-token", b"xoxe-", &[AtLeast(Dashed, 20)]),
    shape("slack-token", b"xapp-", &[AtLeast(Dashed, 20)]),
    labelled(
        "slack-webhook",
        b"hooks.slack.com/services",
        &[UpTo(Class::Path, 1), AtLeast(Path, 30)],
    ),
    // docs.stripe.com, API keys and webhook signing secrets. Test keys are not secret.
    shape("stripe-key", b"sk_live_", &[AtLeast(Alnum, 24)]),
    shape("stripe-key", b"rk_live_", &[AtLeast(Alnum, 24)]),
    shape("stripe-webhook-secret", b"whsec_", &[AtLeast(Alnum, 32)]),
    // Scanners; `T3BlbkFJ` is `OpenAI` in base64, in keys from before there were projects.
    shape("openai-key", b"sk-proj-", &[AtLeast(Word, 20)]),
    shape("openai-key", b"sk-svcacct-", &[AtLeast(Word, 20)]),
    shape("openai-key", b"sk-admin-", &[AtLeast(Word, 20)]),
    shape("openai-key", b"sk-", &[Exactly(Alnum, 48)]),
    shape("anthropic-key", b"sk-ant-", &[AtLeast(Word, 20)]),
    shape("openrouter-key", b"sk-or-", &[AtLeast(Word, 20)]),
    shape("groq-key", b"gsk_", &[Exactly(Alnum, 52)]),
    shape("xai-key", b"xai-", &[Exactly(Alnum, 80)]),
    shape("perplexity-key", b"pplx-", &[AtLeast(Alnum, 40)]),
    // huggingface.co, "User access tokens".
    shape("huggingface-token", b"hf_", &[Exactly(Alnum, 34)]),
    // github.blog, "Behind GitHub's new authentication token formats", which npm took over.
    shape("npm-token", b"npm_", &[Exactly(Alnum, 36)]),
    // pypi.org, help, API tokens: a macaroon, whose beginning is `pypi.org` or `test.pypi.org` in base64.
    shape("pypi-token", b"pypi-AgE", &[AtLeast(Word, 50)]),
    // guides.rubygems.org, API keys.
    shape("rubygems-key", b"rubygems_", &[Exactly(Hex, 48)]),
    // docs.docker.com, personal access tokens.
    shape("docker-token", b"dckr_pat_", &[Exactly(Word, 27)]),
    // www.twilio.com, SendGrid API keys: two parts of 22 and 43 characters.
    shape("sendgrid-key", b"SG.", &[Exactly(Word, 22), Bytes(b"."), Exactly(Word, 43)]),
    // docs.digitalocean.com, token prefixes.
    shape("digitalocean-token", b"dop_v1_", &[Exactly(Hex, 64)]),
    shape("digitalocean-token", b"doo_v1_", &[Exactly(Hex, 64)]),
    shape("digitalocean-token", b"dor_v1_", &[Exactly(Hex, 64)]),
    // shopify.dev, access tokens.
    shape("shopify-token", b"shpat_", &[Exactly(Hex, 32)]),
    shape("shopify-token", b"shpca_", &[Exactly(Hex, 32)]),
    shape("shopify-token", b"shpss_", &[Exactly(Hex, 32)]),
    // developer.hashicorp.com, Vault tokens.
    shape("vault-token", b"hvs.", &[AtLeast(Word, 24)]),
    shape("vault-token", b"hvb.", &[AtLeast(Word, 24)]),
    // grafana.com, service account tokens.
    shape("grafana-token", b"glsa_", &[AtLeast(Name, 40)]),
    // tailscale.com, "Tailscale keys".
    shape("tailscale-key", b"tskey-", &[AtLeast(Dashed, 20)]),
    // linear.app, API keys, by the scanners.
    shape("linear-key", b"lin_api_", &[AtLeast(Alnum, 40)]),
    // age-encryption.org, identity files: Bech32 of 32 bytes.
    shape("age-secret-key", b"AGE-SECRET-KEY-1", &[Exactly(Upper, 58)]),
    // RFC 7519 and 7515: both parts are objects of JSON, and `eyJ` is `{"` in base64. The signature may be empty.
    shape(
        "jwt",
        b"eyJ",
        &[AtLeast(Word, 10), Bytes(b".eyJ"), AtLeast(Word, 10), Bytes(b"."), AtLeast(Word, 0)],
    ),
];

/// Longest run of a part that does not end a token, in bytes: the header of a JWT has an algorithm and a key's name.
const MAX_INNER_RUN: usize = 1024;

/// In the value of a key that a document shows instead of one (`AKIAIOSFODNN7EXAMPLE`).
const EXAMPLE: &[u8] = b"EXAMPLE";

impl Shape {
    /// Whether a token may begin behind `before`: a byte of its own alphabet there makes it a part of something longer.
    pub(super) fn may_follow(&self, before: u8) -> bool {
        if self.is_labelled {
            return true;
        }
        let class = match self.steps.first() {
            Some(AtLeast(class, _) | Exactly(class, _)) => *class,
            _ => Alnum,
        };
        // `task-` and `desk-` end in what begins many keys.
        let is_word = self.prefix.starts_with(b"sk-") && Word.has(before);
        !(before.is_ascii_alphanumeric() || class.has(before) || is_word)
    }

    /// Fewest bytes behind the prefix.
    #[cfg(test)]
    pub(super) fn least_length(&self) -> usize {
        let least = |step: &Step| match *step {
            AtLeast(_, least) => least,
            Exactly(_, count) => count,
            UpTo(..) => 1,
            Bytes(bytes) => bytes.len(),
        };
        self.steps.iter().map(least).sum()
    }

    /// What stands in `text`, whose byte `at` is the first one behind the prefix. `at_end`: nothing follows `text`.
    pub(super) fn matches(&self, text: &[u8], at: usize, at_end: bool) -> Verdict {
        let mut start = at.saturating_sub(self.prefix.len());
        let mut position = at;
        let mut open = None;
        for (index, step) in self.steps.iter().enumerate() {
            let is_last = index + 1 == self.steps.len();
            let rest = text.get(position..).unwrap_or_default();
            let taken = match *step {
                Bytes(bytes) => follow(rest, bytes, at_end),
                UpTo(class, most) => at_most(rest, class, most, at_end),
                Exactly(class, count) => exactly(rest, class, count, at_end),
                AtLeast(class, least) if is_last => {
                    let run = run_of(rest, class, usize::MAX);
                    open = (run == rest.len() && !at_end).then_some(class);
                    if run >= least {
                        Taken::Bytes(run)
                    } else {
                        Taken::short(run == rest.len(), at_end)
                    }
                }
                AtLeast(class, least) => inner(rest, class, least, at_end),
            };
            match taken {
                Taken::No => return Verdict::No,
                Taken::Undecided => return Verdict::Undecided,
                Taken::Bytes(count) => position += count,
            }
            if index == 0 && self.is_labelled {
                start = position;
            }
        }
        let token = text.get(start..position).unwrap_or_default();
        if memchr::memmem::find(token, EXAMPLE).is_some() {
            return Verdict::No;
        }
        Verdict::Token { start, end: position, open }
    }
}

/// What a step finds.
enum Taken {
    No,
    Undecided,
    Bytes(usize),
}

impl Taken {
    /// Too little is there. It may come, where the text was followed to what there is of it.
    fn short(is_all: bool, at_end: bool) -> Self {
        if is_all && !at_end { Self::Undecided } else { Self::No }
    }
}

fn follow(rest: &[u8], bytes: &[u8], at_end: bool) -> Taken {
    if rest.starts_with(bytes) {
        return Taken::Bytes(bytes.len());
    }
    Taken::short(bytes.starts_with(rest), at_end)
}

fn at_most(rest: &[u8], class: Class, most: usize, at_end: bool) -> Taken {
    match run_of(rest, class, most) {
        run if run == rest.len() => Taken::short(true, at_end),
        0 => Taken::No,
        run => Taken::Bytes(run),
    }
}

fn exactly(rest: &[u8], class: Class, count: usize, at_end: bool) -> Taken {
    match run_of(rest, class, count + 1) {
        // What comes next decides whether it is longer.
        run if run == count && (at_end || rest.len() > count) => Taken::Bytes(count),
        run => Taken::short(run == rest.len() && run <= count, at_end),
    }
}

fn inner(rest: &[u8], class: Class, least: usize, at_end: bool) -> Taken {
    match run_of(rest, class, MAX_INNER_RUN) {
        run if run == rest.len() => Taken::short(true, at_end),
        run if run < least => Taken::No,
        // The bytes of the next part do not follow where the run is longer.
        run => Taken::Bytes(run),
    }
}

/// Bytes of `class` that `rest` begins with, at most so many.
fn run_of(rest: &[u8], class: Class, most: usize) -> usize {
    rest.iter().take(most).take_while(|byte| class.has(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNDECIDED: Verdict = Verdict::Undecided;

    fn token(start: usize, end: usize, open: Option<Class>) -> Verdict {
        Verdict::Token { start, end, open }
    }

    /// What stands in `text` behind a prefix of two bytes, while it goes on and at its end.
    fn judged(steps: &'static [Step], is_labelled: bool, text: &str) -> [Verdict; 2] {
        let shape = Shape { name: "x", prefix: b"##", steps, is_labelled };
        [false, true].map(|at_end| shape.matches(text.as_bytes(), 2, at_end))
    }

    #[test]
    fn exactly_so_many_characters_are_followed_by_another_one_or_the_end() {
        let of = |text| judged(&[Exactly(Hex, 3)], false, text);
        assert_eq!(of("##abc"), [UNDECIDED, token(0, 5, None)]);
        assert_eq!(of("##abc."), [token(0, 5, None); 2]);
        assert_eq!(of("##abcd"), [Verdict::No; 2]);
        assert_eq!(of("##ab"), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##ab."), [Verdict::No; 2]);
        assert_eq!(of("##"), [UNDECIDED, Verdict::No]);
    }

    #[test]
    fn a_token_without_an_end_of_its_own_goes_on_with_the_text() {
        let of = |text| judged(&[AtLeast(Hex, 3)], false, text);
        assert_eq!(of("##abc"), [token(0, 5, Some(Hex)), token(0, 5, None)]);
        assert_eq!(of("##abcd."), [token(0, 6, None); 2]);
        assert_eq!(of("##ab"), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##ab."), [Verdict::No; 2]);
    }

    #[test]
    fn what_stands_before_a_labelled_secret_is_not_a_part_of_it() {
        let of = |text| judged(&[UpTo(Between, 2), Exactly(Hex, 3)], true, text);
        assert_eq!(of("##= abc."), [token(4, 7, None); 2]);
        assert_eq!(of("##=abc."), [token(3, 6, None); 2]);
        assert_eq!(of("##abc."), [Verdict::No; 2]);
        assert_eq!(of("##=  abc."), [Verdict::No; 2]);
        assert_eq!(of("##"), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##="), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##= "), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##= ab"), [UNDECIDED, Verdict::No]);
    }

    #[test]
    fn parts_are_joined_by_their_bytes_and_an_inner_one_is_bounded() {
        let of =
            |text: &str| judged(&[AtLeast(Hex, 2), Bytes(b"._"), AtLeast(Hex, 0)], false, text);
        assert_eq!(of("##abc._d!"), [token(0, 8, None); 2]);
        assert_eq!(of("##abc._"), [token(0, 7, Some(Hex)), token(0, 7, None)]);
        assert_eq!(of("##a"), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##a._"), [Verdict::No; 2]);
        assert_eq!(of("##ab._"), [token(0, 6, Some(Hex)), token(0, 6, None)]);
        assert_eq!(of("##abc."), [UNDECIDED, Verdict::No]);
        assert_eq!(of("##abc.d"), [Verdict::No; 2]);
        assert_eq!(of("##abc"), [UNDECIDED, Verdict::No]);
        let long = |count: usize| of(&format!("##{}._", "a".repeat(count)))[1];
        assert_ne!(long(MAX_INNER_RUN), Verdict::No);
        assert_eq!(long(MAX_INNER_RUN + 1), Verdict::No);
    }

    #[test]
    fn an_example_is_no_token() {
        let of = |text| judged(&[AtLeast(Upper, 3)], false, text)[1];
        assert_eq!(of("##ABCEXAMPLE"), Verdict::No);
        assert_eq!(of("##ABCEXAMPL"), token(0, 11, None));
    }

    #[test]
    fn a_token_is_not_the_end_of_something_longer() {
        let follows = |steps, prefix, before| shape("x", prefix, steps).may_follow(before);
        for (steps, prefix, before, may) in [
            (&[AtLeast(Hex, 3)][..], &b"gh_"[..], b'z', false),
            (&[AtLeast(Hex, 3)], b"gh_", b'-', true),
            (&[AtLeast(Word, 3)], b"gh_", b'-', false),
            (&[Exactly(Word, 3)], b"gh_", b'_', false),
            (&[Bytes(b"x")], b"gh_", b'-', true),
            (&[AtLeast(Alnum, 3)], b"sk-", b'-', false),
            (&[AtLeast(Alnum, 3)], b"sk_", b'-', true),
            (&[AtLeast(Alnum, 3)], b"sk-", b'=', true),
        ] {
            assert_eq!(follows(steps, prefix, before), may, "{prefix:?}, {before}");
        }
        assert!(labelled("x", b"key", &[AtLeast(Hex, 3)]).may_follow(b'a'));
    }

    #[test]
    fn each_class_has_its_characters() {
        let all = |class: Class| {
            (0..=u8::MAX).filter(|byte| class.has(*byte)).map(char::from).collect::<String>()
        };
        let (digits, capitals) = ("0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        let small = capitals.to_ascii_lowercase();
        assert_eq!(all(Alnum), format!("{digits}{capitals}{small}"));
        assert_eq!(all(Name), format!("{digits}{capitals}_{small}"));
        assert_eq!(all(Word), format!("-{digits}{capitals}_{small}"));
        assert_eq!(all(Dashed), format!("-{digits}{capitals}{small}"));
        assert_eq!(all(Base32), format!("234567{capitals}"));
        assert_eq!(all(Upper), format!("{digits}{capitals}"));
        assert_eq!(all(Hex), format!("{digits}abcdef"));
        assert_eq!(all(Base64), format!("+/{digits}={capitals}{small}"));
        assert_eq!(all(Path), format!("/{digits}{capitals}{small}"));
        assert_eq!(all(Between), "\t \"',:=\\");
    }
}
