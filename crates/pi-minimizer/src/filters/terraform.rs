//! `terraform` and `tofu`: plans with blocks that differ in nothing but their key said once.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::marker::Kind;
use crate::text::any_of::AnyOf;
use crate::text::lines;
use crate::text::words::FixedMap;
use memchr::memmem;

pub(crate) static FAMILY: Family = Family {
    name: "terraform",
    prints: |target| matches!(target.program.as_str(), "terraform" | "tofu" | "terragrunt"),
    signature: &[
        "\nTerraform will perform the following actions",
        "\nOpenTofu will perform the following actions",
    ],
    alone: false,
    policy: Policy::STRICT,
    mark,
};

/// Resources that are looked at or worked on.
static WORK: AnyOf<6> = AnyOf::new([
    ": Refreshing state... [",
    ": Still creating... [",
    ": Still destroying... [",
    ": Still modifying... [",
    ": Reading...",
    ": Still reading... [",
]);

fn mark(doc: &mut Doc<'_>, run: &Run<'_>) -> Result<(), OverBudget> {
    doc.spend(doc.len() * 4)?;
    blocks(doc);
    for at in 0..doc.len() {
        let line = doc.line(at);
        let progress = WORK.stands_in(line)
            || !run.failed
                && (line.ends_with(": Creating...") || line.contains(": Destroying... ["));
        if progress
            || lines::starts_with_any(line, &["- Finding ", "- Installing ", "Initializing "])
        {
            doc.drop_line(at, Kind::Progress);
            continue;
        }
        let unknown = line.ends_with("= (known after apply)") && lines::body(line).starts_with('+');
        if unknown
            || lines::starts_with_any(
                line,
                &[
                    "Note: You didn't use the -out option",
                    "guarantee to take exactly these actions",
                    "Terraform used the selected providers to generate",
                    "plan. Resource actions are indicated with",
                    "  + create",
                    "  - destroy",
                    "  ~ update in-place",
                ],
            )
        {
            doc.drop_line(at, Kind::Hint);
        }
    }
    Ok(())
}

/// `  # type.name["key"] will be created` and the block below it, up to a blank line.
fn blocks(doc: &mut Doc<'_>) {
    let mut groups: FixedMap<String, Vec<(usize, usize)>> = FixedMap::default();
    let mut order: Vec<String> = Vec::new();
    let mut at = 0;
    while at < doc.len() {
        let line = doc.line(at);
        let Some(key) = line
            .trim_start()
            .strip_prefix("# ")
            .and_then(|rest| rest.split(' ').next())
            .and_then(index_of)
        else {
            at += 1;
            continue;
        };
        let end = (at + 1..doc.len()).find(|i| doc.line(*i).is_empty()).unwrap_or(doc.len());
        let mut block = String::new();
        let finder = memmem::Finder::new(key);
        for i in at..end {
            push_without(&mut block, doc.line(i), &finder);
        }
        let group = groups.entry(block.clone()).or_default();
        if group.is_empty() {
            order.push(block);
        }
        group.push((at, end));
        at = end;
    }
    for block in order {
        let Some(group) = groups.get(&block) else { continue };
        let Some((&(first, end), others)) = group.split_first() else { continue };
        if others.len() < 2 || end - first < 3 {
            continue;
        }
        doc.state("also");
        let mut line = doc.line(first).to_owned();
        line.push_str("\n  # also");
        for &(start, end) in others {
            let address = doc
                .line(start)
                .trim_start()
                .strip_prefix("# ")
                .and_then(|rest| rest.split(' ').next())
                .unwrap_or("");
            line.push(' ');
            line.push_str(address);
            for i in start..=end {
                doc.drop_line(i, Kind::Repeat);
            }
        }
        doc.replace(first, line);
    }
}

/// Appends a line with a mark instead of each key.
fn push_without(block: &mut String, line: &str, key: &memmem::Finder<'_>) {
    let mut start = 0;
    for at in key.find_iter(line.as_bytes()) {
        block.push_str(line.get(start..at).unwrap_or(""));
        block.push('\0');
        start = at + key.needle().len();
    }
    block.push_str(lines::from(line, start));
    block.push('\n');
}

/// The key of an address: `svc-1` of `type.name["svc-1"]`; a bare number is too short to be replaced safely.
fn index_of(address: &str) -> Option<&str> {
    let (_, index) = address.strip_suffix(']')?.rsplit_once('[')?;
    let key = index.trim_matches('"');
    (key.len() > 2 && index.starts_with('"')).then_some(key)
}
