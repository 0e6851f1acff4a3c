//! Measures what the sink costs: milliseconds for each MiB pushed, best and median of some rounds.
//!
//! Run with `cargo run --release -p pi-shell --example sink_throughput`. `docs/output.md` has the
//! figures. An example and not a test: on a loaded machine no bound on time would hold.

use std::io::{self, Write};
use std::time::Instant;

use pi_shell::SinkOptions;
use pi_shell::mask::{Mask, MaskOptions, MaskedValue};
use pi_shell::output::{Decoder, Sink};

/// Bytes of each stream. Enough for the timer, little enough to fit between the gaps of a
/// virtual machine that shares its processors.
const STREAM_BYTES: usize = STREAM_MEBIBYTES as usize * 1024 * 1024;

/// As `STREAM_BYTES`, in MiB.
const STREAM_MEBIBYTES: u32 = 64;

/// Bytes of one push: what a pipe holds by default on Linux.
const PUSH_BYTES: usize = 64 * 1024;

const ROUNDS: usize = 15;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{:<34} {:>10} {:>10}   ms per MiB", "stream", "best", "median")?;
    let capped = || SinkOptions { max_line_bytes: Some(4096), ..SinkOptions::default() };
    let headed = || SinkOptions { head_bytes: 20 * 1024, ..SinkOptions::default() };
    let mask = compiled().map_err(io::Error::other)?;
    for (name, line) in [
        ("source code", SOURCE.into()),
        ("ascii 80 columns", ascii_line().into_bytes()),
        ("ascii without newline", "x".repeat(80).into_bytes()),
        ("ascii 80 columns, CRLF", ascii_line().replace('\n', "\r\n").into_bytes()),
        ("colours on each line", format!("\x1b[32mok\x1b[0m {}", ascii_line()).into_bytes()),
        ("japanese", "日本語のテキストがここに並んでいる、長い行だ。\n".into()),
        ("progress frames", "\r[=======>            ] 37% 12.3 MB/s".into()),
        ("arbitrary bytes", arbitrary_bytes()),
    ] {
        let block = line.repeat(PUSH_BYTES / line.len() + 1);
        let (block, _) = block.split_at(PUSH_BYTES);
        report(&mut out, &format!("sink: {name}"), || push_all(block, SinkOptions::default()))?;
        if name == "ascii 80 columns" {
            report(&mut out, "sink: the same, lines <= 4 KiB", || push_all(block, capped()))?;
            report(&mut out, "sink: the same, head 20 KiB", || push_all(block, headed()))?;
        }
        report(&mut out, &format!("decoder: {name}"), || decode_all(block))?;
        if let Some(mask) = &mask {
            let masked = SinkOptions { mask: Some(mask.clone()), ..SinkOptions::default() };
            report(&mut out, &format!("masked sink: {name}"), || push_all(block, masked.clone()))?;
            report(&mut out, &format!("masker: {name}"), || mask_all(mask, block))?;
        }
    }
    report(&mut out, "compile a mask, ms", || {
        (0..STREAM_MEBIBYTES).filter(|_| compiled().is_ok_and(|mask| mask.is_some())).count()
    })?;
    Ok(())
}

/// What agents read most: paths, words and punctuation, with beginnings of what is masked.
const SOURCE: &str = "  const link = new URL(`https://github.com/${owner}/git`); // see lines 12-18 of src/npm.ts
    if (options.skip || task.secret === undefined) return `${path}/node_modules`; export default sk_list;\n";

/// What a session masks: forms of tokens, and three values that were withheld.
fn compiled() -> Result<Option<Mask>, pi_shell::mask::TooManyValues> {
    let values =
        ["sk-ant-aB3dE5fG7hJ9kL2mN4pQ", "hunter2-aB3dE5fG7hJ9", "0f3a9b7c5d1e8264aabbccdd"];
    let values =
        values.map(|value| MaskedValue { name: "KEY".to_owned(), value: value.to_owned() });
    Mask::new(&MaskOptions { values: values.to_vec(), shapes: true, allow: Vec::new() })
}

fn mask_all(mask: &Mask, block: &[u8]) -> usize {
    let mut masker = mask.masker();
    let mut len = 0;
    for _ in 0..STREAM_BYTES / PUSH_BYTES {
        masker.push(block, |bytes| len += bytes.len());
    }
    len
}

fn ascii_line() -> String {
    format!("{}\n", "abcdefghij".repeat(8).split_off(1))
}

/// Bytes without a pattern, from Knuth's linear congruential generator.
fn arbitrary_bytes() -> Vec<u8> {
    let next = |state: &u64| {
        Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    std::iter::successors(Some(1), next).map(|state| state.to_be_bytes()[0]).take(4096).collect()
}

fn push_all(block: &[u8], options: SinkOptions) -> usize {
    let mut sink = Sink::new(options);
    for _ in 0..STREAM_BYTES / PUSH_BYTES {
        sink.push(block);
    }
    sink.finish(None).text.len()
}

fn decode_all(block: &[u8]) -> usize {
    let mut decoder = Decoder::new();
    let mut text = String::new();
    let mut len = 0;
    for _ in 0..STREAM_BYTES / PUSH_BYTES {
        text.clear();
        decoder.decode(block, &mut text);
        len += text.len();
    }
    len
}

fn report(out: &mut impl Write, name: &str, mut work: impl FnMut() -> usize) -> io::Result<()> {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            std::hint::black_box(work());
            begin.elapsed().as_secs_f64() * 1000.0 / f64::from(STREAM_MEBIBYTES)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let best = times.first().copied().unwrap_or_default();
    let median = times.get(ROUNDS / 2).copied().unwrap_or_default();
    writeln!(out, "{name:<34} {best:>10.4} {median:>10.4}")
}
