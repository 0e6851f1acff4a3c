//! seccomp programs that refuse single calls, so that a test decides what a confined program can do.

use pi_supervisor::wire::Confine;

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

/// Which calls of one number are refused.
#[derive(Clone, Copy)]
pub(crate) enum Refused {
    All,
    /// Those whose argument of that index has this value.
    With(u32, u32),
    /// Those whose argument of that index has one of these bits.
    WithBits(u32, u32),
}

fn instruction(code: u16, no: u8, k: u32) -> Vec<u8> {
    // A jump goes on if its condition holds, and skips `no` instructions if not.
    [&code.to_ne_bytes()[..], &[0, no], &k.to_ne_bytes()].concat()
}

/// Place of an argument's lower half in `struct seccomp_data`.
fn argument(index: u32) -> u32 {
    16 + 8 * index + if cfg!(target_endian = "big") { 4 } else { 0 }
}

/// A program by which these calls fail with the error number `errno`.
pub(crate) fn program(errno: i32, calls: &[(libc::c_long, Refused)]) -> Vec<u8> {
    let fail = instruction(RETURN, 0, 0x0005_0000 | errno.unsigned_abs());
    let mut program = Vec::new();
    for (call, which) in calls {
        let condition = match which {
            Refused::All => Vec::new(),
            Refused::With(index, value) => {
                let load = instruction(LOAD, 0, argument(*index));
                [load, instruction(JUMP_IF_EQUAL, 1, *value)].concat()
            }
            Refused::WithBits(index, bits) => {
                let load = instruction(LOAD, 0, argument(*index));
                [load, instruction(JUMP_IF_ANY_BIT, 1, *bits)].concat()
            }
        };
        let skipped = u8::try_from(condition.len() / 8 + 1).unwrap();
        program.extend(instruction(LOAD, 0, 0));
        program.extend(instruction(JUMP_IF_EQUAL, skipped, u32::try_from(*call).unwrap()));
        program.extend(condition);
        program.extend_from_slice(&fail);
    }
    program.extend(instruction(RETURN, 0, 0x7fff_0000));
    program
}

/// A confinement that refuses only these calls, and what every confinement refuses.
pub(crate) fn refusing(calls: &[(libc::c_long, Refused)]) -> Confine {
    Confine { seccomp: program(libc::EPERM, calls), ..Confine::default() }
}
