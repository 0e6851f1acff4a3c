//! Descriptors of a session: every number is the script's, as in a script of its own.

#[cfg(target_os = "linux")]
use pi_shell::SessionKind;
use pi_shell::{Concurrency, ResourceLimits, Shell, ShellOptions};

use crate::support::{
    answer, attempt, command, eventually, output_of, run, session, shell_options, status_of,
};

/// Numbers that scripts use: the small ones, the one of `coproc`, and of locks. On 255 bash reads
/// the script itself, as it does in every script.
const NUMBERS: [u32; 21] =
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 63, 199, 200];

/// A script that reads and writes by every number of `NUMBERS`.
fn script() -> String {
    let text = "exec N<<<inN; read -r -u N line; echo $line; exec N>&1; echo outN >&N\n";
    NUMBERS.map(|number| text.replace('N', &number.to_string())).concat()
}

fn expected() -> String {
    NUMBERS.map(|number| format!("in{number}\nout{number}\n")).concat()
}

#[tokio::test]
async fn a_script_uses_any_descriptor_and_the_session_goes_on() {
    let shell = session();

    assert_eq!(answer(&shell, &script()).await, (expected(), 0));
    assert_eq!(answer(&shell, "echo next").await, ("next\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn descriptors_stay_from_command_to_command() {
    let shell = session();
    run(&shell, "exec 10<<<$'a\\nb\\nc' 11<<<eleven 12<<<twelve 200<<<last").await;

    assert_eq!(answer(&shell, "read -u 10 x; read -u 12 y; echo $x $y").await.0, "a twelve\n");
    assert_eq!(answer(&shell, "cat <&10; cat <&11 <&200").await.0, "b\nc\nlast\n");
    assert_eq!(
        answer(&shell, "exec 10<&- 200<&-; read -u 10 x 2>/dev/null || echo shut").await.0,
        "shut\n"
    );
    shell.close().await;
}

#[tokio::test]
async fn closing_every_small_descriptor_does_not_touch_the_session() {
    let shell = session();

    let text = "for ((fd = 3; fd < 200; fd++)); do eval \"exec $fd>&-\"; done; echo done";

    let result = run(&shell, text).await;
    assert_eq!(crate::support::output_of(&result), "done\n");
    assert!(!result.session_reset);
    assert_eq!(answer(&shell, "echo next").await.0, "next\n");
    shell.close().await;
}

#[tokio::test]
async fn a_program_is_given_three_descriptors_and_a_subshell_sees_nothing_below_200() {
    let shell = session();

    let programs = "ls -l /proc/self/fd | grep -c -e fifo -e pi-bash -e pipe";
    let subshell = "(: ; for fd in /proc/$BASHPID/fd/*; do fd=${fd##*/}; ((fd > 3 && fd < 200)) && echo $fd; done; :)";

    // Standard output and error; `ls` writes to a pipe here. The pattern itself reads by 3.
    assert_eq!(answer(&shell, programs).await.0, "2\n");
    assert_eq!(answer(&shell, subshell).await.0, "");
    shell.close().await;
}

#[tokio::test]
async fn the_next_command_runs_where_bash_s_own_descriptors_were_closed() {
    for text in ["exec 241>&-", "exec 238<&- 240>&- 241>&- 242>&-", "exec 238>/dev/null"] {
        let shell = session();
        run(&shell, "V=kept").await;

        assert_eq!(answer(&shell, text).await.1, 0, "{text}");

        for _ in 0..2 {
            let (output, status) = answer(&shell, "echo $V; sh -c 'echo child'").await;
            assert_eq!((output.as_str(), status), ("kept\nchild\n", 0), "{text}");
        }
        shell.close().await;
    }
}

#[tokio::test]
async fn a_low_limit_of_open_files_keeps_shell_and_state() {
    let shell = session();
    run(&shell, "V=kept; ulimit -n 20").await;

    let result = run(&shell, "echo $V; ulimit -n; cat </dev/null; echo $(echo sub) | cat").await;
    assert_eq!(crate::support::output_of(&result), "kept\n20\nsub\n");
    assert!(!result.session_reset);
    assert_eq!(answer(&shell, "exec 9<<<nine; read -u 9 x; echo $x").await.0, "nine\n");
    shell.close().await;
}

#[tokio::test]
async fn a_session_may_begin_with_few_open_files() {
    for open_files in [16, 40, 64, 256] {
        let limits = ResourceLimits { open_files: Some(open_files), ..ResourceLimits::default() };
        let shell = Shell::new(ShellOptions { limits, ..shell_options() }).unwrap();

        let expected = format!("{open_files}\nnine\n");
        assert_eq!(
            answer(&shell, "ulimit -n; exec 9<<<nine; read -u 9 x; echo $x").await.0,
            expected
        );
        assert_eq!(answer(&shell, "trap 'echo bye' EXIT; echo hi").await.0, "hi\nbye\n");
        shell.close().await;
    }
}

#[tokio::test]
async fn tracing_traps_and_exit_show_nothing_of_the_redirections() {
    let shell = session();

    assert_eq!(
        answer(&shell, "trap 'echo bye' EXIT; exec 10<<<x; exit 4").await,
        ("bye\n".to_owned(), 4)
    );
    assert_eq!(answer(&shell, "trap 'echo D' DEBUG; :").await.0, "D\n");
    assert_eq!(answer(&shell, "trap - DEBUG; :").await.0, "D\n");
    assert_eq!(answer(&shell, "echo next").await.0, "next\n");
    shell.close().await;
}

/// `dd` leaves its standard output non-blocking, as Node does with its standard error.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_one_program_does_to_standard_error_does_not_reach_another_s_output() {
    let text = "dd if=/dev/null oflag=nonblock status=none >&2; grep flags /proc/self/fdinfo/1";
    let kinds = [shell_options().kind, Some(SessionKind::PerCommand)];
    for (kind, limit) in kinds.into_iter().flat_map(|kind| [(kind, ""), (kind, "ulimit -n 20")]) {
        let shell = Shell::new(ShellOptions { kind, ..shell_options() }).unwrap();
        run(&shell, limit).await;

        for concurrency in [Concurrency::Queue, Concurrency::Clone] {
            let options = pi_shell::RunOptions { concurrency, ..command(text) };
            let result = attempt(&shell, options).await.unwrap();
            let output = output_of(&result);
            let flags = output.trim().strip_prefix("flags:\t").map(|it| u32::from_str_radix(it, 8));
            let Some(Ok(flags)) = flags else { panic!("{output}") };
            assert_eq!(flags & 0o4000, 0, "{kind:?}, {concurrency:?}, `{limit}`");
        }
        shell.close().await;
    }
}

#[tokio::test]
async fn output_and_errors_come_in_the_order_in_which_they_were_written() {
    let shell = session();
    let text = "for ((i = 0; i < 500; i++)); do echo o$i; echo e$i >&2; done";

    let expected = (0..500).map(|i| format!("o{i}\ne{i}\n")).collect::<Vec<_>>().concat();

    assert_eq!(answer(&shell, text).await, (expected, 0));
    shell.close().await;
}

#[tokio::test]
async fn standard_input_is_duplicated_in_the_session_and_in_its_copies() {
    // Bash 5.2 whose script is its standard input ends by SIGSEGV here.
    let script = "exec 3<&0; read -u 3 x; { read y <&4; } 4<&0; cat 5<&0; echo through";
    let shell = session();

    assert_eq!(answer(&shell, script).await, ("through\n".to_owned(), 0));
    for text in [script.to_owned(), format!("{script} $$ >/dev/null; echo through")] {
        let mut options = command(&text);
        options.concurrency = Concurrency::Clone;
        let result = attempt(&shell, options).await.unwrap();
        assert_eq!((output_of(&result).as_str(), status_of(&result)), ("through\n", 0), "{text}");
    }
    shell.close().await;
}

#[tokio::test]
async fn what_is_written_to_the_output_of_an_earlier_command_is_not_output_of_the_present_one() {
    // Of the second one's text each word is a plain builtin's name.
    for text in ["exec 5>&1", "alias pwd='eval $X'\npwd\nunalias pwd"] {
        let shell = session();
        run(&shell, "X='exec 5>&1'; shopt -s expand_aliases").await;
        run(&shell, text).await;

        assert_eq!(answer(&shell, "echo late >&5; echo mine").await.0, "mine\n", "{text}");
        eventually("the other is late output", || shell.late_output() == "late\n").await;
        shell.close().await;
    }
}
