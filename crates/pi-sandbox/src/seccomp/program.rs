//! Writes a seccomp program, instruction by instruction.

// `linux/bpf_common.h`: what the instructions are made of.
pub(super) const LOAD: u16 = 0x20;
pub(super) const JUMP_EQUAL: u16 = 0x15;
pub(super) const JUMP_GREATER: u16 = 0x25;
pub(super) const JUMP_SET: u16 = 0x45;
pub(super) const RETURN: u16 = 0x06;
/// Keeps the bits of a value.
pub(super) const AND: u16 = 0x54;

// `linux/seccomp.h`.
pub(super) const ALLOW: u32 = 0x7fff_0000;
const ERROR: u32 = 0x0005_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCHITECTURE: u32 = 4;
const OFFSET_ARGUMENTS: u32 = 16;

pub(super) const PERMISSION: u32 = failure(libc::EPERM);
pub(super) const NO_CALL: u32 = failure(libc::ENOSYS);
/// The call is not made, and the program reads that it was: it returns 0.
pub(super) const AS_IF_DONE: u32 = ERROR;

/// The call is not made, and fails with this error.
const fn failure(errno: i32) -> u32 {
    ERROR | errno.cast_unsigned()
}

/// `AUDIT_ARCH_*` of `linux/audit.h`.
#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;

/// Bit of the x32 calls, which are other numbers for the same things.
pub(super) const X32: u32 = 0x4000_0000;

/// Half of an argument's 64 bits.
#[derive(Clone, Copy)]
pub(super) enum Half {
    Lower,
    Upper,
}

/// One condition on 32 bits of an argument, the lower ones where nothing else is said.
#[derive(Clone, Copy)]
pub(super) struct Condition<'a> {
    argument: u8,
    half: Half,
    /// The bits that are looked at.
    mask: u32,
    test: Test<'a>,
}

#[derive(Clone, Copy)]
enum Test<'a> {
    /// They are one of these.
    OneOf(&'a [u32]),
    /// They are none of these.
    NoneOf(&'a [u32]),
}

impl<'a> Condition<'a> {
    pub(super) fn one_of(argument: u8, values: &'a [u32]) -> Self {
        Self { argument, half: Half::Lower, mask: u32::MAX, test: Test::OneOf(values) }
    }

    pub(super) fn none_of(argument: u8, values: &'a [u32]) -> Self {
        Self { argument, half: Half::Lower, mask: u32::MAX, test: Test::NoneOf(values) }
    }

    /// One of these bits is set.
    pub(super) fn has(argument: u8, bits: u32) -> Self {
        Self::none_of(argument, &[0]).within(bits)
    }

    /// The same of these bits alone.
    pub(super) fn within(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// The same of that half: a pointer is null where both halves are 0.
    pub(super) fn of(self, half: Half) -> Self {
        Self { half, ..self }
    }

    /// Appends it to `body`: what holds goes on, what does not is left to a jump that is made later.
    fn append(self, body: &mut Vec<Instruction>) {
        // On a little-endian machine, and both of ours are, the lower half of a 64-bit word comes first.
        let half = match self.half {
            Half::Lower => 0,
            Half::Upper => 4,
        };
        let from = OFFSET_ARGUMENTS + 8 * u32::from(self.argument) + half;
        body.push(Instruction::plain(LOAD, from));
        if self.mask != u32::MAX {
            body.push(Instruction::plain(AND, self.mask));
        }
        match self.test {
            Test::NoneOf(values) => body.extend(
                values
                    .iter()
                    .map(|value| Instruction::jump(JUMP_EQUAL, *value, Jump::End, Jump::Next)),
            ),
            Test::OneOf(values) => {
                let last = values.len().saturating_sub(1);
                body.extend(values.iter().enumerate().map(|(at, value)| {
                    let otherwise = if at == last { Jump::End } else { Jump::Next };
                    Instruction::jump(JUMP_EQUAL, *value, Jump::Over(last - at), otherwise)
                }));
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Jump {
    Next,
    /// Over so many instructions.
    Over(usize),
    /// Behind the block that the instruction is in.
    End,
}

#[derive(Clone, Copy)]
struct Instruction {
    code: u16,
    if_true: Jump,
    if_false: Jump,
    value: u32,
}

impl Instruction {
    fn plain(code: u16, value: u32) -> Self {
        Self::jump(code, value, Jump::Next, Jump::Next)
    }

    fn jump(code: u16, value: u32, if_true: Jump, if_false: Jump) -> Self {
        Self { code, if_true, if_false, value }
    }
}

/// `struct sock_filter` after `struct sock_filter`.
#[derive(Default)]
pub(super) struct Program(Vec<u8>);

impl Program {
    /// Ends it: what was not refused is allowed.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.push(RETURN, 0, 0, ALLOW);
        self.0
    }

    fn push(&mut self, code: u16, if_true: u8, if_false: u8, value: u32) {
        self.0.extend_from_slice(&code.to_ne_bytes());
        self.0.extend_from_slice(&[if_true, if_false]);
        self.0.extend_from_slice(&value.to_ne_bytes());
    }

    fn load_number(&mut self) {
        self.push(LOAD, 0, 0, OFFSET_NUMBER);
    }

    /// Programs of another architecture have other numbers: none of their calls is known.
    pub(super) fn check_architecture(&mut self) {
        self.push(LOAD, 0, 0, OFFSET_ARCHITECTURE);
        self.push(JUMP_EQUAL, 1, 0, ARCHITECTURE);
        self.push(RETURN, 0, 0, PERMISSION);
        self.load_number();
        if cfg!(target_arch = "x86_64") {
            self.push(JUMP_SET, 0, 1, X32);
            self.push(RETURN, 0, 0, NO_CALL);
        }
    }

    /// Has no call whose number is higher. Expects and leaves the number loaded.
    pub(super) fn refuse_above(&mut self, highest: libc::c_long) {
        self.push(JUMP_GREATER, 0, 1, u32::try_from(highest).unwrap_or(0));
        self.push(RETURN, 0, 0, NO_CALL);
    }

    /// Refuses a call for which all conditions hold. Expects and leaves the number loaded.
    pub(super) fn refuse(&mut self, call: libc::c_long, conditions: &[Condition<'_>], answer: u32) {
        let mut body = Vec::new();
        for condition in conditions {
            condition.append(&mut body);
        }
        body.push(Instruction::plain(RETURN, answer));
        let is_reloaded = !conditions.is_empty();
        // The tables are short: a block has far fewer than 255 instructions, which a test of the whole program sees.
        let distance = |to: usize| u8::try_from(to).unwrap_or(u8::MAX);
        let behind = distance(body.len() + usize::from(is_reloaded));
        self.push(JUMP_EQUAL, 0, behind, u32::try_from(call).unwrap_or(u32::MAX));
        for (at, one) in body.iter().enumerate() {
            let resolved = |jump| match jump {
                Jump::Next => 0,
                Jump::Over(count) => distance(count),
                Jump::End => distance(body.len() - at - 1),
            };
            self.push(one.code, resolved(one.if_true), resolved(one.if_false), one.value);
        }
        if is_reloaded {
            self.load_number();
        }
    }
}
