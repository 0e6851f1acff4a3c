//! What a program is built for, by the header of its file: its architecture, and the loader that names its C library.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Bytes that are looked at: headers stand at the beginning, and so does the loader's name.
const LOOKED_AT: u64 = 16 * 1024;

/// `PT_INTERP` of `elf(5)`.
const INTERPRETER: u32 = 3;

/// `EM_X86_64` and `EM_AARCH64`, as packages name them.
const ARCHITECTURES: [(u16, &str); 2] = [(62, "x64"), (183, "arm64")];

/// A program's file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// As packages name it. `None`: another one.
    pub(crate) architecture: Option<&'static str>,
    /// Path of its loader. `None`: it has none, and loads no objects.
    pub(crate) interpreter: Option<String>,
}

impl Image {
    /// The C library that its loader is of.
    pub(crate) fn libc(&self) -> Option<&'static str> {
        let loader = self.interpreter.as_deref()?.rsplit('/').next()?;
        if loader.starts_with("ld-musl-") {
            Some("musl")
        } else if loader.starts_with("ld-linux") {
            Some("glibc")
        } else {
            None
        }
    }
}

/// Looks at a file. `None`: it is not a program of 64 bits with its lowest byte first.
pub(crate) fn look(path: &Path) -> Option<Image> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
    image_of(&bytes)
}

fn image_of(bytes: &[u8]) -> Option<Image> {
    // Class 2 has 64 bits, data 1 has the lowest byte first.
    bytes.strip_prefix(b"\x7fELF\x02\x01")?;
    let machine = u16::from_le_bytes(field(bytes, 18)?);
    let (table, size, count) = (
        usize::try_from(u64::from_le_bytes(field(bytes, 32)?)).ok()?,
        usize::from(u16::from_le_bytes(field(bytes, 54)?)),
        usize::from(u16::from_le_bytes(field(bytes, 56)?)),
    );
    let interpreter = (0..count).find_map(|index| {
        let header = bytes.get(table.checked_add(index * size)?..)?;
        (u32::from_le_bytes(field(header, 0)?) == INTERPRETER).then_some(())?;
        let start = usize::try_from(u64::from_le_bytes(field(header, 8)?)).ok()?;
        let length = usize::try_from(u64::from_le_bytes(field(header, 32)?)).ok()?;
        let name = bytes.get(start..start.checked_add(length)?)?;
        Some(String::from_utf8_lossy(name.split(|byte| *byte == 0).next()?).into_owned())
    });
    let architecture =
        ARCHITECTURES.into_iter().find(|(number, _)| *number == machine).map(|(_, name)| name);
    Some(Image { architecture, interpreter })
}

fn field<const SIZE: usize>(bytes: &[u8], at: usize) -> Option<[u8; SIZE]> {
    bytes.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bash_of_this_machine_is_one_that_a_driver_is_built_for() {
        let bash = pi_shell::find_bash().unwrap();

        let image = look(&bash.path).unwrap();

        assert!(image.architecture.is_some());
        assert!(matches!(image.libc(), Some("glibc" | "musl")), "{image:?}");
    }

    #[test]
    fn what_is_not_a_program_is_nothing() {
        assert_eq!(look(Path::new("/etc/passwd")), None);
        assert_eq!(image_of(b"\x7fELF\x02\x01"), None);
        // A table that points behind the file, with as many entries as there can be.
        let mut hostile = vec![0xff; 64];
        hostile.splice(..6, *b"\x7fELF\x02\x01");
        assert_eq!(image_of(&hostile).and_then(|image| image.interpreter), None);
    }
}
