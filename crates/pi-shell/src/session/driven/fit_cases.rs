//! What becomes known of a bash and a driver: fits, faults, doubts.

use std::sync::MutexGuard;

use super::*;

/// What is known is the same for all tests of this process.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    lock(&TURN)
}

fn pair(digest: u64) -> Pair {
    let driver = FileKey { device: 1, inode: 2, size: 3, changed: (0, 0) };
    Pair {
        shell: ("/nowhere/bash".into(), driver.clone()),
        driver,
        digest,
        in_sandbox: false,
        limits: ResourceLimits::default(),
        loader: Vec::new(),
    }
}

#[test]
fn a_driver_that_only_its_content_tells_from_another_is_another() {
    let _turn = alone();
    note_fit(Some(pair(1)), Err("it does not".to_owned()));

    assert_eq!(fit_of(&pair(1)).unwrap().0, Err("it does not".to_owned()));
    assert!(fit_of(&pair(2)).is_none());
}

#[test]
fn commands_that_kill_their_shells_cost_no_trial_each() {
    let _turn = alone();
    let pair = pair(3);
    // Trials without a doubt clear it of none.
    for _ in 0..=ENOUGH_TRIALS {
        note_fit(Some(pair.clone()), Ok(()));
    }
    for _ in 0..ENOUGH_TRIALS {
        note_fault(&pair, signals::FAULTS[0], false);
        assert_eq!(fit_of(&pair), Some((Ok(()), true)));
        note_fit(Some(pair.clone()), Ok(()));
    }
    note_fault(&pair, signals::FAULTS[0], false);
    assert_eq!(fit_of(&pair), Some((Ok(()), false)));

    note_fault(&pair, signals::FAULTS[0], true);
    assert_eq!(fit_of(&pair), Some((Ok(()), true)), "this one is not a command's");
}

#[test]
fn what_is_found_out_of_a_bash_is_not_held_against_another() {
    let _turn = alone();
    let (one, other) = (pair(4), pair(5));
    for pair in [&one, &other] {
        note_fit(Some(pair.clone()), Ok(()));
    }

    doubt(&one);
    assert_eq!(fit_of(&one), Some((Ok(()), true)));
    for _ in 0..MAX_FAULTS {
        note_fault(&one, signals::FAULTS[0], true);
    }
    assert!(fit_of(&one).unwrap().0.is_err());
    assert_eq!(fit_of(&other), Some((Ok(()), false)));
}

#[test]
fn the_bash_that_was_given_up_last_is_what_is_reported() {
    let _turn = alone();
    let key = pair(0).driver;
    let at = |path: &str| Pair { shell: (path.into(), key.clone()), ..pair(6) };
    let (one, other) = (at("/one/bash"), at("/other/bash"));
    for pair in [&one, &other] {
        note_fit(Some(pair.clone()), Ok(()));
    }
    for (died, given_up) in
        [(&one, None), (&other, None), (&one, Some("/one/")), (&other, Some("/other/"))]
    {
        note_fault(died, signals::FAULTS[0], true);
        match (state(), given_up) {
            (DriverState::Fits, None) => {}
            (DriverState::Unfit(reason), Some(path)) => {
                assert!(reason.starts_with(path), "{reason}");
            }
            (state, _) => panic!("{state:?} where {given_up:?} was given up"),
        }
    }
}

#[test]
fn the_digest_is_that_of_the_content() {
    let folder = tempfile::tempdir().unwrap();
    let digest_of = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        DriverObject::open(&path).map(|object| object.digest().unwrap())
    };

    let digest = digest_of("one", "content").unwrap();
    assert_eq!(digest_of("same", "content"), Ok(digest));
    assert_ne!(digest_of("other", "kontent"), Ok(digest));
}
