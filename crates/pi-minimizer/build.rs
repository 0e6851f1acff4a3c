//! Embeds every file of `rules/`, so that a rule for a new tool is one file and no list to edit.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let rules = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("rules");
    println!("cargo::rerun-if-changed={}", rules.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&rules)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    // Directory order differs between file systems; the order of rules may not.
    files.sort();
    let mut source = String::from("&[\n");
    for file in &files {
        let name =
            file.file_name().and_then(|name| name.to_str()).ok_or("rule file name is not UTF-8")?;
        println!("cargo::rerun-if-changed={}", file.display());
        writeln!(source, "    ({name:?}, include_str!({:?})),", file.display().to_string())?;
    }
    source.push(']');
    fs::write(Path::new(&env::var("OUT_DIR")?).join("rules.rs"), source)?;
    Ok(())
}
