//! Recognises terminal escape sequences, however they are split.
//!
//! Only the end of a sequence matters here, and the few that edit the current line: the text for
//! the model has no colours, titles or screens. A sequence that never ends must not swallow the
//! output: each has a bound, and a newline ends any of them.

/// Bytes after which a string sequence (OSC, DCS, SOS, PM, APC) is given up, and text begins.
/// Real ones (titles, hyperlinks, clipboard) are shorter; an unterminated one hides this much.
pub(super) const MAX_STRING_BYTES: usize = 4096;

/// As `MAX_STRING_BYTES`, for the parameters of a control sequence.
const MAX_CONTROL_BYTES: usize = 256;

/// What a control sequence does to the line under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEdit {
    /// Blanks from the cursor to the line's end (`EL 0`, `ED 0`).
    EraseToEnd,
    /// Blanks from the line's beginning to the cursor (`EL 1`).
    EraseToStart,
    /// Blanks the line (`EL 2`).
    EraseLine,
    /// Moves the cursor to a column, counted from 0 (`CHA`, `HPA`).
    Column(usize),
    /// Moves the cursor to the right (`CUF`).
    Right(usize),
    /// Moves the cursor to the left (`CUB`).
    Left(usize),
}

/// What a character is to the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Part of a sequence: nothing to show.
    Taken,
    /// The last of a sequence that edits the line.
    Edit(LineEdit),
    /// Not part of a sequence: the parser stands on the ground, and the character is to be looked
    /// at as text.
    Text,
}

/// Where the parser stands.
#[derive(Debug, Clone, Copy, Default)]
enum State {
    #[default]
    Ground,
    /// After ESC, and after intermediates of an escape sequence.
    Escape,
    /// After CSI.
    Control(Parameter),
    /// In a string sequence.
    String,
}

/// The first parameter of a control sequence, as far as it is read.
#[derive(Debug, Clone, Copy, Default)]
struct Parameter {
    value: Option<usize>,
    /// A separator, a private marker or an intermediate stood: this is no plain `CSI n X`.
    is_other: bool,
    is_complete: bool,
}

/// The parser. Feed it each character that stands in a sequence.
#[derive(Debug, Clone, Default)]
pub(super) struct EscapeParser {
    state: State,
    /// Bytes of the sequence so far.
    len: usize,
}

impl EscapeParser {
    /// No sequence is under way: text is text until ESC or a C1 control comes.
    pub(super) fn is_on_ground(&self) -> bool {
        matches!(self.state, State::Ground)
    }

    /// Forgets the sequence under way.
    pub(super) fn reset(&mut self) {
        self.enter(State::Ground);
    }

    /// ESC begins a sequence, and ends the one under way.
    pub(super) fn begin(&mut self) {
        self.enter(State::Escape);
    }

    /// A C1 control (U+0080 to U+009F), by its last byte. It begins a sequence or ends one.
    pub(super) fn begin_c1(&mut self, byte: u8) {
        self.enter(match byte {
            0x90 | 0x98 | 0x9d..=0x9f => State::String,
            0x9b => State::Control(Parameter::default()),
            _ => State::Ground,
        });
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.len = 0;
    }

    /// Bytes of a string sequence that can still be taken; 0 where none is under way.
    pub(super) fn string_room(&self) -> usize {
        if matches!(self.state, State::String) { MAX_STRING_BYTES - self.len } else { 0 }
    }

    /// Takes `bytes` of a string sequence, at most `string_room`.
    pub(super) fn skip_string(&mut self, bytes: usize) {
        self.len += bytes;
        if self.len >= MAX_STRING_BYTES {
            self.reset();
        }
    }

    /// Looks at the next byte of an escape or control sequence. BEL, ESC, newlines and C1 controls
    /// are the caller's: they mean the same everywhere.
    pub(super) fn step(&mut self, byte: u8) -> Step {
        self.len += 1;
        match self.state {
            // The bytes of a string are skipped, many at a time.
            State::Ground | State::String => self.give_up(),
            _ if self.len > MAX_CONTROL_BYTES => self.give_up(),
            State::Escape => self.step_escape(byte),
            State::Control(parameter) => self.step_control(byte, parameter),
        }
    }

    fn give_up(&mut self) -> Step {
        self.reset();
        Step::Text
    }

    fn step_escape(&mut self, byte: u8) -> Step {
        match byte {
            // Intermediates are legal only before the final byte, as in `ESC ( B`.
            0x20..=0x2f => Step::Taken,
            b'[' if self.len == 1 => {
                self.enter(State::Control(Parameter::default()));
                Step::Taken
            }
            b']' | b'P' | b'X' | b'^' | b'_' if self.len == 1 => {
                self.enter(State::String);
                Step::Taken
            }
            0x30..=0x7e => {
                self.reset();
                Step::Taken
            }
            _ => self.give_up(),
        }
    }

    fn step_control(&mut self, byte: u8, mut parameter: Parameter) -> Step {
        match byte {
            b'0'..=b'9' if !parameter.is_complete => {
                let digit = usize::from(byte - b'0');
                let value = parameter.value.unwrap_or(0).saturating_mul(10).saturating_add(digit);
                parameter.value = Some(value);
            }
            b'0'..=b'9' => {}
            b';' | b':' => parameter.is_complete = true,
            0x20..=0x2f | 0x3c..=0x3f => parameter.is_other = true,
            0x40..=0x7e => {
                self.reset();
                return line_edit(byte, parameter).map_or(Step::Taken, Step::Edit);
            }
            _ => return self.give_up(),
        }
        self.state = State::Control(parameter);
        Step::Taken
    }
}

/// The effect of a control sequence with this final byte, where it has one on the line.
fn line_edit(last: u8, parameter: Parameter) -> Option<LineEdit> {
    if parameter.is_other {
        return None;
    }
    let count = parameter.value.unwrap_or(0).max(1);
    match (last, parameter.value.unwrap_or(0)) {
        (b'K' | b'J', 0) => Some(LineEdit::EraseToEnd),
        (b'K', 1) => Some(LineEdit::EraseToStart),
        (b'K', 2) => Some(LineEdit::EraseLine),
        (b'G' | b'`', _) => Some(LineEdit::Column(count - 1)),
        (b'C', _) => Some(LineEdit::Right(count)),
        (b'D', _) => Some(LineEdit::Left(count)),
        _ => None,
    }
}
