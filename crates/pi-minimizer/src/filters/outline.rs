//! Outlines a source file that is read: declarations stay, bodies go. Only where the caller asks for it.
//!
//! Indentation decides, not a parser: a line indented deeper than the declaration above it is its
//! body. That holds for every formatted file of the languages below, and a file it does not hold for
//! keeps its lines, because a body is removed only below a declaration that was recognised.

use crate::doc::Doc;
use crate::invocation::Target;
use crate::marker::Kind;
use crate::options::{Options, SourceOutline};
use crate::text::lines;

/// Bodies up to this many lines stay in the default outline.
const SHORT_BODY: usize = 8;

/// File extensions whose declarations we know.
const LANGUAGES: [&str; 11] =
    ["rs", "ts", "tsx", "js", "jsx", "mjs", "cjs", "py", "go", "java", "kt"];

/// Words that begin a declaration with a body, after modifiers.
const DECLARATIONS: [&str; 8] =
    ["fn ", "function ", "def ", "func ", "async def ", "constructor(", "fun ", "function* "];

/// Words that may stand before such a word.
const MODIFIERS: [&str; 18] = [
    "pub ",
    "pub(crate) ",
    "pub(super) ",
    "const ",
    "unsafe ",
    "async ",
    "export ",
    "default ",
    "static ",
    "public ",
    "private ",
    "protected ",
    "final ",
    "override ",
    "abstract ",
    "extern \"C\" ",
    "suspend ",
    "internal ",
];

/// The outline of the file that `target` printed; nothing where it is no source file we know.
pub(crate) fn outline(target: &Target, text: &str, options: &Options) -> Option<String> {
    let file = target.args.iter().rfind(|arg| !arg.starts_with('-'))?;
    let (_, extension) = file.rsplit_once('.')?;
    if !matches!(target.program.as_str(), "cat" | "bat" | "batcat")
        || !LANGUAGES.contains(&extension)
    {
        return None;
    }
    let longest = if options.source_outline == SourceOutline::Aggressive { 0 } else { SHORT_BODY };
    let mut doc = Doc::new(text);
    let mut at = 0;
    while at < doc.len() {
        let line = doc.line(at);
        at += 1;
        if !is_declaration(line) {
            continue;
        }
        let depth = lines::indent(line);
        let deeper = |at: &usize| doc.line(*at).is_empty() || lines::indent(doc.line(*at)) > depth;
        let end = (at..doc.len()).take_while(deeper).last().map_or(at, |last| last + 1);
        if end - at > longest {
            doc.drop_lines(at..end, Kind::Body);
        }
        at = end;
    }
    let mut body = doc.render(false);
    body.push_str(&doc.tally().notice(options.reference.as_deref())?);
    body.push('\n');
    Some(body)
}

fn is_declaration(line: &str) -> bool {
    let mut rest = lines::body(line);
    while let Some(after) = MODIFIERS.iter().find_map(|modifier| rest.strip_prefix(modifier)) {
        rest = after;
    }
    lines::starts_with_any(rest, &DECLARATIONS)
        && (line.ends_with(['{', ':', ')', '(']) || line.contains('{'))
}
