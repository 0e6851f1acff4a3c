//! What many ask for at the same time and one of them finds out: whether a bash fits, whether a sandbox holds. What is found
//! is kept by those who ask.

use std::time::Duration;

use tokio::sync::Mutex;

/// Longest wait for what another finds out, which takes a few milliseconds, or a part of a second. Where the machine is that
/// slow, or the other hangs, each finds out by itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// The turn to find something out.
#[derive(Debug)]
pub struct Turn {
    taken: Mutex<()>,
    patience: Duration,
}

impl Turn {
    /// One that is not taken.
    #[expect(
        clippy::new_without_default,
        reason = "it stands in a static: `default` could not make it"
    )]
    pub const fn new() -> Self {
        Self { taken: Mutex::const_new(()), patience: PATIENCE }
    }

    /// What is `known`, or what `find_out` finds. Whoever asks meanwhile waits, and then has what became known.
    pub async fn known_or<T, E>(
        &self,
        known: impl Fn() -> Option<T>,
        find_out: impl AsyncFnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(found) = known() {
            return Ok(found);
        }
        let _turn = tokio::time::timeout(self.patience, self.taken.lock()).await;
        match known() {
            Some(found) => Ok(found),
            None => find_out().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Longest wait for anything here.
    const LIMIT: Duration = Duration::from_secs(10);

    /// Three who ask at the same time; finding out gives `found` after a moment. How often it was done, and what they got.
    async fn ask_together(
        found: Result<u32, &'static str>,
    ) -> (u32, [Result<u32, &'static str>; 3]) {
        let (turn, known, times) = (Turn::new(), Cell::new(None), Cell::new(0));
        let find_out = async || {
            times.set(times.get() + 1);
            tokio::time::sleep(Duration::from_millis(5)).await;
            known.set(found.ok());
            found
        };
        let ask = || turn.known_or(|| known.get(), find_out);
        let (one, two, three) = tokio::join!(ask(), ask(), ask());
        (times.get(), [one, two, three])
    }

    #[tokio::test]
    async fn of_those_who_ask_together_one_finds_out() {
        assert_eq!(ask_together(Ok(7)).await, (1, [Ok(7); 3]));
    }

    #[tokio::test]
    async fn what_one_could_not_find_out_the_next_one_tries() {
        assert_eq!(ask_together(Err("no room")).await, (3, [Err("no room"); 3]));
    }

    #[tokio::test]
    async fn what_is_known_waits_for_no_turn() {
        let turn = Turn::new();
        let _other = turn.taken.lock().await;

        let known = turn.known_or(|| Some(7), async || Err("asked again"));
        assert_eq!(tokio::time::timeout(LIMIT, known).await.unwrap(), Ok(7));
    }

    #[tokio::test]
    async fn one_that_hangs_holds_no_other_for_long() {
        let turn = Turn { taken: Mutex::new(()), patience: Duration::from_millis(5) };
        let _other = turn.taken.lock().await;

        let found = turn.known_or(|| None, async || Ok::<_, ()>(7));
        assert_eq!(tokio::time::timeout(LIMIT, found).await.unwrap(), Ok(7));
    }
}
