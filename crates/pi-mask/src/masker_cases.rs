//! When a masker gives out what it is given, and in which pieces.

use crate::{Mask, MaskOptions, MaskedValue};

const SECRET: &str = "s3cr3t-value-9";

fn mask() -> Mask {
    let values = vec![MaskedValue { name: "KEY".to_owned(), value: SECRET.to_owned() }];
    let options = MaskOptions { values, shapes: true, allow: Vec::new() };
    Mask::new(&options).expect("options within limits").expect("something to mask")
}

/// Texts in which something is masked, and what is shown of each.
fn texts() -> [(String, String); 5] {
    let token = format!("gh{}_{}", "p", "aB3d".repeat(10));
    let line = "aB3dE5fG7hJ9kL2m".repeat(4);
    let begun = format!("-----BEGIN PRIVATE {}-----\n{line}\n", "KEY");
    [
        (format!("a {SECRET}"), "a [masked: KEY]".to_owned()),
        (format!("{token}, after\n"), "[masked: github-token], after\n".to_owned()),
        ("://u:pw9@h/ after\n".to_owned(), "://u:[masked: url-password]@h/ after\n".to_owned()),
        (
            format!("{begun}-----END PRIVATE KEY-----\nafter\n"),
            "[masked: private-key]\n\n\nafter\n".to_owned(),
        ),
        (format!("{begun}(after)\n"), "[masked: private-key]\n\n(after)\n".to_owned()),
    ]
}

#[test]
fn what_is_decided_is_given_out_without_a_wait_for_more_and_never_in_empty_pieces() {
    for (text, expected) in texts() {
        for length in [1, 7, text.len()] {
            let mut masker = mask().masker();
            let mut shown = Vec::new();
            for piece in text.as_bytes().chunks(length) {
                masker.push(piece, |bytes| {
                    assert!(!bytes.is_empty(), "{text}");
                    shown.extend_from_slice(bytes);
                });
            }

            assert_eq!(String::from_utf8(shown).unwrap(), expected, "{length}");
        }
    }
}

#[test]
fn what_is_plain_is_passed_where_it_stands_and_else_everything_is_given_out() {
    let mut masker = mask().masker();
    let mut taken = |bytes: &str| {
        let mut given = Vec::new();
        let passed = masker.push_or_pass(bytes.as_bytes(), |piece| given.extend_from_slice(piece));
        (passed, String::from_utf8(given).unwrap())
    };
    assert_eq!(taken("all of it."), (10, String::new()));
    assert_eq!(taken("but for its end s3c"), (16, String::new()));
    assert_eq!(taken("ond."), (0, "s3cond.".to_owned()), "what was held stands elsewhere");
    assert_eq!(taken(&format!("a {SECRET}.")), (0, "a [masked: KEY].".to_owned()));
    assert_eq!(taken(SECRET), (0, "[masked: KEY]".to_owned()));
}
