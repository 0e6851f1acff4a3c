//! What a script does to its own shell, and sees of it: as in a plain bash file.

use std::path::Path;

use pi_shell::{RunOptions, Shell};

use crate::support::{answer, attempt, command, output_of, run, session, status_of};

/// What the driver says on its channels, and where it lives.
fn has_words_of_the_driver(text: &str) -> bool {
    let folder = format!("/pi-bash-{}-", rustix::process::getuid().as_raw());
    ["__p", "\u{1}", "\u{2}", folder.as_str()].iter().any(|word| text.contains(word))
}

async fn in_folder(shell: &Shell, text: &str, folder: &str) -> (String, i32) {
    let options = RunOptions { cwd: Some(Path::new(folder).to_path_buf()), ..command(text) };
    let result = attempt(shell, options).await.unwrap();
    (output_of(&result), status_of(&result))
}

#[tokio::test]
async fn a_script_that_closes_every_descriptor_prints_nothing_of_the_driver_s() {
    for text in [
        "for n in {0..9}; do eval \"exec $n>&-\"; done",
        "for ((n = 0; n < 300; n++)); do eval \"exec $n>&-\"; done",
        "for path in /proc/self/fd/*; do n=${path##*/}; eval \"exec $n>&-\"; done",
        "exec 0<&- 1>&- 2>&-",
        "for ((n = 3; n < 256; n++)); do eval \"exec $n<&-\"; done; echo still",
    ] {
        let shell = session();
        run(&shell, "V=kept").await;

        let closed = output_of(&run(&shell, text).await);
        assert!(!has_words_of_the_driver(&closed), "{text}: {closed}");
        assert_eq!(answer(&shell, "echo $V").await.0, "kept\n", "{text}");
        shell.close().await;
    }
}

#[tokio::test]
async fn programs_see_no_variable_of_the_driver_s_where_everything_is_exported() {
    let shell = session();
    let all = "env | sort -z | tr '\\0' '\\n'";
    run(&shell, "set -a").await;
    run(&shell, "NAME=value").await;

    for text in [all.to_owned(), format!("{all}; {}", ": long".repeat(400))] {
        assert!(!has_words_of_the_driver(&answer(&shell, &text).await.0));
        assert!(!has_words_of_the_driver(&in_folder(&shell, &text, "/usr").await.0));
        let copy = RunOptions { concurrency: pi_shell::Concurrency::Clone, ..command(&text) };
        assert!(!has_words_of_the_driver(&output_of(&attempt(&shell, copy).await.unwrap())));
    }
    assert_eq!(answer(&shell, "sh -c 'echo $NAME'; false").await, ("value\n".to_owned(), 1));
    assert_eq!(answer(&shell, "echo $?").await.0, "1\n");
    // In a shell that was restored, too.
    run(&shell, "kill -9 $$").await;
    let (seen, _) = answer(&shell, &format!("{all}; shopt -qo allexport && echo on")).await;
    assert!(seen.contains("NAME=value\n") && seen.ends_with("on\n"), "{seen}");
    assert!(!has_words_of_the_driver(&seen), "{seen}");
    shell.close().await;
}

#[tokio::test]
async fn read_only_folder_variables_stay_as_they_are_and_nothing_else_changes() {
    for name in ["PWD", "OLDPWD"] {
        let shell = session();
        run(&shell, &format!("cd /usr; cd /; readonly {name}")).await;
        let (text, status) = answer(&shell, "cd /tmp; echo $?; pwd; cd /usr; pwd").await;
        let complaint = format!("bash: line 1: {name}: readonly variable\n");
        assert_eq!((text, status), (format!("{complaint}1\n/tmp\n{complaint}/usr\n"), 0), "{name}");
        // A folder that is given with the call is entered as well.
        let (text, status) = in_folder(&shell, "pwd", "/etc").await;
        assert!(text.ends_with("/etc\n") && status == 0, "{name}: {text}");
        assert_eq!(answer(&shell, "exit 3").await, (String::new(), 3), "{name}");
        assert_eq!(answer(&shell, &format!("readonly | grep -c ' {name}='")).await.0, "1\n");
        shell.close().await;
    }
}

#[tokio::test]
async fn a_command_finds_its_input_empty_after_one_that_closed_it() {
    let shell = session();
    run(&shell, "exec 0<&-").await;
    assert_eq!(answer(&shell, "cat; read -r line; echo $?").await, ("1\n".to_owned(), 0));
    shell.close().await;
}

#[tokio::test]
async fn functions_that_are_all_unset_and_builtins_that_are_disabled_leave_a_session_that_works() {
    for text in [
        "unset -f $(compgen -A function)",
        "enable -n builtin",
        "enable -n read",
        "enable -n trap printf cd",
    ] {
        let shell = session();
        run(&shell, "V=kept; f() { echo F; }").await;

        let result = run(&shell, text).await;
        assert!(!has_words_of_the_driver(&output_of(&result)), "{text}: {}", output_of(&result));
        // The first command afterwards may find the builtin gone, as it would in a file.
        run(&shell, ":").await;
        assert_eq!(answer(&shell, "echo $V").await, ("kept\n".to_owned(), 0), "{text}");
        shell.close().await;
    }
}
