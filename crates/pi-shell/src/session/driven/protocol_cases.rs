//! The layout of messages, beside that of the driver's header.

use super::*;

const HEADER: &str = include_str!("../../../../../bash-driver/protocol.h");

fn defined(name: &str) -> i64 {
    let line = HEADER
        .lines()
        .find_map(|line| line.strip_prefix(&format!("#define {name} ")))
        .unwrap_or_else(|| panic!("{name} is not in the header"));
    let value = line.split("/*").next().unwrap_or_default().trim();
    let value = value.trim_matches(['(', ')']);
    match value.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).unwrap(),
        None => value.parse().unwrap(),
    }
}

#[test]
fn the_numbers_are_those_of_the_header() {
    for (name, value) in [
        ("PI_PROTOCOL_VERSION", i64::from(VERSION)),
        ("PI_ORDER_TEXT_MAX", TEXT_MAX.try_into().unwrap()),
        ("PI_STOP_SIGNAL", i64::from(pi_process::stop::DRIVER_STOP_SIGNAL)),
        ("PI_ORDER_RUN", i64::from(RUN)),
        ("PI_ORDER_FORK", i64::from(FORK)),
        ("PI_ORDER_TEXT_IN_FILE", i64::from(TEXT_IN_FILE)),
        ("PI_ORDER_ERRORS", i64::from(ERRORS)),
        ("PI_ORDER_USAGE", i64::from(USAGE)),
        ("PI_ORDER_OWN_PID", i64::from(OWN_PID)),
        ("PI_ORDER_CONFINE", i64::from(CONFINE)),
        ("PI_REPORT_NOT_CONFINED", i64::from(NOT_CONFINED)),
        ("PI_CONFINE_SECCOMP", CONFINE_STEPS.len().try_into().unwrap()),
        ("PI_REPORT_DROPPED_STATE", i64::from(DROPPED_STATE)),
        ("PI_KEEP_STATUS", i64::from(KEEP_STATUS)),
        ("PI_REPORT_GREETING", i64::from(GREETING)),
        ("PI_REPORT_ENDED", i64::from(ENDED)),
        ("PI_REPORT_FORKED", i64::from(FORKED)),
        ("PI_REPORT_REFUSED", i64::from(REFUSED)),
        ("PI_REPORT_CAN_STOP", i64::from(CAN_STOP)),
        ("PI_REPORT_MADE_PROCESS", i64::from(MADE_PROCESS)),
        ("PI_REPORT_HAS_TRAPS", i64::from(HAS_TRAPS)),
        ("PI_REPORT_KEPT_STATE", i64::from(KEPT_STATE)),
        ("PI_REPORT_HAS_CHILDREN", i64::from(HAS_CHILDREN)),
        ("PI_REPORT_HAS_OVERRIDES", i64::from(HAS_OVERRIDES)),
        ("PI_OPTIONS_SIZE", OPTIONS_SIZE.try_into().unwrap()),
    ] {
        assert_eq!(defined(name), value, "{name}");
    }
    // `struct pi_report`, and where its `struct pi_usage` begins.
    assert_eq!((REPORT_SIZE, USAGE_AT), (88, 64));
}

#[test]
fn directory_and_variables_stand_before_the_text() {
    let env = [("A".to_owned(), "1".to_owned())];
    let order = RunOrder {
        command: "echo hi",
        cwd: Some(Path::new("/tmp")),
        env: &env,
        status: Some(3),
        own_pid: true,
        has_errors: false,
        measured: true,
    };
    let encoded = order.encode(7);
    let (head, text) = encoded.message.split_at(24);
    assert_eq!(text, b"/tmp\0A=1\0echo hi");
    assert_eq!(head, [RUN, 7, OWN_PID | USAGE, 9, 3, 0].map(u32::to_ne_bytes).concat());
    assert!(encoded.file.is_none());
}

#[test]
fn what_is_too_long_goes_through_a_file() {
    let command = "x".repeat(TEXT_MAX + 1);
    let order = RunOrder {
        command: &command,
        cwd: None,
        env: &[],
        status: None,
        own_pid: false,
        has_errors: false,
        measured: false,
    };
    let encoded = order.encode(1);
    assert_eq!(encoded.message.len(), 24);
    assert_eq!(
        encoded.message,
        [RUN, 1, TEXT_IN_FILE, 0, u32::MAX, 0].map(u32::to_ne_bytes).concat()
    );
    assert_eq!(encoded.file.unwrap().len(), TEXT_MAX + 1);
    let most = "x".repeat(TEXT_MAX);
    let encoded = RunOrder { command: &most, ..RunOrder::default() }.encode(1);
    assert_eq!(encoded.message.len(), 24 + TEXT_MAX);
    assert!(encoded.file.is_none());
}

/// A report as a driver writes it.
fn report(words: [u32; 5], options: &str, usage: [u64; 3], text: &[u8]) -> Vec<u8> {
    let mut message = words.map(u32::to_ne_bytes).concat();
    message.extend_from_slice(options.as_bytes());
    message.resize(USAGE_AT, 0);
    message.extend(usage.map(u64::to_ne_bytes).concat());
    message.extend_from_slice(text);
    message
}

/// A report that is not an end, as a driver writes it.
pub(in crate::session::driven) fn written(said: &Report) -> Vec<u8> {
    let (words, text) = match said {
        Report::Greeting { version, bash, can_stop } => {
            let flags = if *can_stop { CAN_STOP } else { 0 };
            ([GREETING, 0, version.cast_unsigned(), 0, flags], bash.as_str())
        }
        Report::Forked { sequence, result } => {
            let number = result.unwrap_or_else(|errno| -errno);
            ([FORKED, *sequence, number.cast_unsigned(), 0, 0], "")
        }
        Report::Refused { sequence, errno } => {
            ([REFUSED, *sequence, errno.cast_unsigned(), 0, 0], "")
        }
        Report::NotConfined { step, errno } => {
            let number = CONFINE_STEPS.iter().position(|one| one == step).map_or(0, |at| at + 1);
            let number = u32::try_from(number).unwrap();
            ([NOT_CONFINED, 0, errno.cast_unsigned(), number, 0], "")
        }
        Report::Ended { .. } => unreachable!("it is not an end"),
    };
    report(words, "", [0; 3], text.as_bytes())
}

fn ended(flags: u32) -> Ended {
    let message = report([ENDED, 7, 3, 0, flags], "himBHc", [1_500, 20, 4], b"/a b");
    match Report::decode(&message) {
        Some(Report::Ended { sequence: 7, ended }) => ended,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_end_is_read_with_all_that_the_driver_says_of_it() {
    let all_false = Ended {
        status: 3,
        made_process: false,
        has_children: false,
        has_traps: false,
        has_overrides: false,
        kept_state: false,
        dropped_state: false,
        options: "himBHc".to_owned(),
        cwd: "/a b".into(),
        usage: ResourceUsage::counted(1_500, 20, 4),
    };
    let with = |change: fn(&mut Ended)| {
        let mut ended = all_false.clone();
        change(&mut ended);
        ended
    };
    assert_eq!(ended(0), all_false);
    assert_eq!(ended(CAN_STOP), all_false, "that is of a greeting");
    assert_eq!(ended(MADE_PROCESS), with(|one| one.made_process = true));
    assert_eq!(ended(HAS_CHILDREN), with(|one| one.has_children = true));
    assert_eq!(ended(HAS_TRAPS), with(|one| one.has_traps = true));
    assert_eq!(ended(HAS_OVERRIDES), with(|one| one.has_overrides = true));
    assert_eq!(ended(KEPT_STATE), with(|one| one.kept_state = true));
    assert_eq!(ended(DROPPED_STATE), with(|one| one.dropped_state = true));
}

#[test]
fn the_other_reports_are_read() {
    let decode =
        |words, text: &str| Report::decode(&report(words, "", [0; 3], text.as_bytes())).unwrap();
    for (flags, can_stop) in [(CAN_STOP, true), (MADE_PROCESS, false)] {
        let greeting = Report::Greeting { version: 6, bash: "5.2".to_owned(), can_stop };
        assert_eq!(decode([GREETING, 0, 6, 0, flags], "5.2"), greeting);
    }
    let forked = |result| Report::Forked { sequence: 2, result };
    assert_eq!(decode([FORKED, 2, 41, 0, 0], ""), forked(Ok(41)));
    assert_eq!(decode([FORKED, 2, (-11_i32).cast_unsigned(), 0, 0], ""), forked(Err(11)));
    assert_eq!(decode([FORKED, 2, 0, 0, 0], ""), forked(Err(0)));
    assert_eq!(decode([REFUSED, 5, 7, 0, 0], ""), Report::Refused { sequence: 5, errno: 7 });
    for (number, step) in
        [(0, "a step"), (1, "setting TMPDIR"), (6, "loading a seccomp program"), (7, "a step")]
    {
        let report = Report::NotConfined { step, errno: 22 };
        assert_eq!(decode([NOT_CONFINED, 0, 22, number, 0], ""), report);
    }
    assert_eq!(Report::decode(&report([99, 0, 0, 0, 0], "", [0; 3], b"")), None);
    assert_eq!(Report::decode(&report([REFUSED, 5, 7, 0, 0], "", [0; 3], b"")[1..]), None);
}

#[test]
fn output_is_over_where_nothing_was_started_and_nothing_can_have_been_opened() {
    for (flags, by_its_text, otherwise) in [
        (0, true, false),
        (KEPT_STATE, true, true),
        (HAS_OVERRIDES, false, false),
        (KEPT_STATE | HAS_OVERRIDES, true, true),
        (KEPT_STATE | MADE_PROCESS, false, false),
        (KEPT_STATE | HAS_TRAPS, false, false),
        (MADE_PROCESS, false, false),
        (HAS_TRAPS, false, false),
    ] {
        assert_eq!(ended(flags).leaves_output(true), by_its_text, "{flags:#x}");
        assert_eq!(ended(flags).leaves_output(false), otherwise, "{flags:#x}");
    }
}

#[test]
fn orders_to_leave_a_copy_say_of_which_kind() {
    let words = |words: [u32; 6]| words.map(u32::to_ne_bytes).concat();
    let keep = KEEP_STATUS.cast_unsigned();
    assert_eq!(fork_order(3, false), words([FORK, 3, 0, 0, keep, 0]));
    assert_eq!(fork_order(3, true), words([FORK, 3, OWN_PID, 0, keep, 0]));
    assert_eq!(confined_fork_order(4), words([FORK, 4, OWN_PID | CONFINE, 0, keep, 0]));
    let confined = confine_order(5, Path::new("/tmp/x"), b"bpf");
    assert_eq!(confined[..24], words([FORK, 5, CONFINE, 7, keep, 0]));
    assert_eq!(confined[24..], *b"/tmp/x\0bpf");
}

#[test]
fn each_part_of_an_order_stands_where_it_is_wanted() {
    let words = |words: [u32; 6]| words.map(u32::to_ne_bytes).concat();
    let keep = KEEP_STATUS.cast_unsigned();
    let plain = RunOrder { command: "x", ..RunOrder::default() }.encode(1);
    assert_eq!(plain.message, [words([RUN, 1, 0, 0, keep, 0]), b"x".to_vec()].concat());
    let errors = RunOrder { has_errors: true, ..RunOrder::default() }.encode(1);
    assert_eq!(errors.message, words([RUN, 1, ERRORS, 0, keep, 0]));
    let env = [("A".to_owned(), "1".to_owned())];
    let variables = RunOrder { command: "x", env: &env, ..RunOrder::default() }.encode(1);
    let (head, text) = variables.message.split_at(24);
    assert_eq!((head, text), (words([RUN, 1, 0, 5, keep, 0]).as_slice(), &b"\0A=1\0x"[..]));
    let moved =
        RunOrder { command: "x", cwd: Some(Path::new("/")), ..RunOrder::default() }.encode(1);
    assert_eq!(moved.message.split_at(24).1, b"/\0x");
}

proptest::proptest! {
    #[test]
    fn no_message_makes_the_reader_fail(message in proptest::collection::vec(0_u8.., 0..200)) {
        drop(Report::decode(&message));
    }
}
