//! Source files that are read: verbatim, unless an outline was asked for.

use pi_minimizer::{Command, Options, SourceOutline, minimize};

/// A file with short and long bodies.
fn source() -> String {
    let body: Vec<String> =
        (0..12).map(|line| format!("        let value_{line} = self.count + {line};\n")).collect();
    let methods: Vec<String> = (0..6)
        .map(|index| {
            let long = format!(
                "    pub fn long_{index}(&self) -> u8 {{\n{}        value_3\n    }}\n",
                body.concat()
            );
            format!(
                "{long}\n    pub fn short_{index}(&self) -> u8 {{\n        self.count\n    }}\n\n"
            )
        })
        .collect();
    let head = "use std::fmt;\n\n/// A counter.\npub struct Counter {\n    count: u8,\n}\n\nimpl Counter {\n";
    format!("{head}{}}}\n", methods.concat())
}

fn read(command: &str, outline: SourceOutline) -> Option<String> {
    let options = Options { source_outline: outline, ..Options::default() };
    minimize(Command::Text(command), &source(), 0, &options).map(|result| result.text)
}

#[test]
fn a_source_file_stays_verbatim_by_default() {
    assert_eq!(read("cat src/counter.rs", SourceOutline::Off), None);
}

#[test]
fn an_outline_keeps_declarations_and_short_bodies() {
    let text = read("cat src/counter.rs", SourceOutline::Default)
        .expect("there is something to leave out");
    for part in [
        "use std::fmt;",
        "pub struct Counter {\n    count: u8,",
        "pub fn long_5(&self) -> u8 {\n    }",
        "pub fn short_0(&self) -> u8 {\n        self.count\n",
    ] {
        assert!(text.contains(part), "`{part}` is lost in\n{text}");
    }
    assert!(!text.contains("value_3"), "{text}");
    assert!(text.ends_with("[-- 78 body lines removed]\n"), "{text}");
}

#[test]
fn an_aggressive_outline_keeps_no_body() {
    let text = read("cat src/counter.rs", SourceOutline::Aggressive)
        .expect("there is something to leave out");
    assert!(!text.contains("        self.count\n"), "{text}");
    assert!(text.contains("pub fn short_5(&self) -> u8 {\n    }"), "{text}");
}

#[test]
fn a_part_of_a_file_and_a_text_of_no_known_language_stay_verbatim() {
    assert_eq!(read("sed -n 1,80p src/counter.rs", SourceOutline::Aggressive), None);
    assert_eq!(read("cat notes.txt", SourceOutline::Aggressive), None);
}
