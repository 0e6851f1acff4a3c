//! What commands of a sandbox leave in the workspace that a program outside will obey later: found
//! after each command, because a name that does not exist yet cannot always be protected.
//!
//! # Theory of operation
//! At a session's start everything of that kind is counted as known (`survey`, `repository`). After
//! each command the folders that changed are read again, the repositories are judged again, and what
//! is new or different is reported once. What is protected by the sandbox itself is left out: a mount
//! keeps it as it is, for as long as the same file is there.
//!
//! A walk is bounded; where there is more than it may read, the result says so.

mod git_config;
mod repository;
mod survey;

use std::collections::HashMap;
use std::fs;
use std::hash::RandomState;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use pi_process::lock;

pub(super) use self::repository::{Below, below};
use self::repository::{Judge, Verdict};
pub(super) use self::survey::{Budget, Find, Survey};
use crate::Plant;

/// Plants that one result names.
const MOST_TOLD: usize = 20;

/// What one look found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// What is new since the look before.
    pub plants: Vec<Plant>,
    /// There is more than could be looked at.
    pub is_partial: bool,
}

/// Watches the folders that a session can write. Clones share what they know.
#[derive(Debug, Clone)]
pub struct Plants(Arc<Watch>);

#[derive(Debug)]
struct Watch {
    roots: Vec<PathBuf>,
    /// What stays read-only, with device and inode as they were when it was made so.
    protected: HashMap<PathBuf, (u64, u64)>,
    /// Seconds and nanoseconds since the epoch at the start, where the first walk was cut short.
    start_of_partial: Option<(i64, i64)>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    survey: Survey,
    /// The digest of each thing that would run, as it was given or found at the start.
    known: HashMap<PathBuf, u64>,
    hasher: RandomState,
}

impl Plants {
    /// Counts what is there as known. `survey` is of the same roots.
    pub(super) fn new(roots: &[PathBuf], protected: &[PathBuf], survey: Survey) -> Self {
        let identity = |path: &PathBuf| Some((path.clone(), identity_of(path)?));
        let watch = Watch {
            roots: roots.to_vec(),
            protected: protected.iter().filter_map(identity).collect(),
            start_of_partial: survey.has_more().then(now),
            state: Mutex::new(State { survey, known: HashMap::new(), hasher: RandomState::new() }),
        };
        let mut state = lock(&watch.state);
        for Verdict { path, digest, .. } in watch.judge(&mut state, &mut Budget::of_one_walk()) {
            state.known.insert(path, digest);
        }
        drop(state);
        Self(Arc::new(watch))
    }

    /// What came since the last look. Reads files, for a few milliseconds at most.
    pub(crate) fn look(&self) -> Found {
        let mut state = lock(&self.0.state);
        state.survey.renew(&self.0.roots, &mut Budget::of_one_walk());
        let (mut plants, mut budget) = (Vec::new(), Budget::of_one_walk());
        for Verdict { path, kind, digest } in self.0.judge(&mut state, &mut budget) {
            // The next result tells what has no room in this one.
            if plants.len() == MOST_TOLD {
                break;
            }
            if state.known.insert(path.clone(), digest) != Some(digest) && !self.0.is_old(&path) {
                plants.push(Plant { path, kind });
            }
        }
        Found { plants, is_partial: state.survey.has_more() || budget.is_used_up() }
    }
}

impl Watch {
    fn judge(&self, state: &mut State, budget: &mut Budget) -> Vec<Verdict> {
        let mut judge = Judge {
            roots: &self.roots,
            is_protected: &|path| self.is_protected(path),
            hasher: &state.hasher,
            budget,
            verdicts: Vec::new(),
        };
        let mut finds: Vec<_> = state.survey.finds().collect();
        // Whatever is further down cannot use up what the top needs.
        finds.sort_by_key(|(path, _)| path.components().count());
        for (path, find) in finds {
            match find {
                Find::Repository => judge.repository(path),
                Find::Pointer => judge.pointer(path),
                Find::Tool => judge.tool(path),
            }
        }
        judge.verdicts
    }

    /// Whether something was there at the start, in a folder that no walk had come to by then.
    fn is_old(&self, path: &Path) -> bool {
        let Some(start) = self.start_of_partial else { return false };
        let inside = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
        // A repository that was moved here has a new time of change itself, and nothing in it has.
        let depth = path.ancestors().position(|one| one.ends_with(".git")).unwrap_or(0);
        let above = path.ancestors().take(depth + 1);
        inside.chain(above.map(Path::to_path_buf)).all(|one| {
            fs::symlink_metadata(&one)
                .is_ok_and(|found| (found.ctime(), found.ctime_nsec()) < start)
        })
    }

    /// Whether a path is, or is in, what the sandbox keeps read-only: at the same name a folder that
    /// was moved there would be another one.
    fn is_protected(&self, path: &Path) -> bool {
        path.ancestors().take_while(|one| self.roots.iter().any(|root| one.starts_with(root))).any(
            |one| self.protected.get(one).is_some_and(|known| identity_of(one) == Some(*known)),
        )
    }
}

/// The time by the clock of file systems, which may be a step behind.
fn now() -> (i64, i64) {
    let step = Duration::from_millis(20);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let now = now.saturating_sub(step);
    (i64::try_from(now.as_secs()).unwrap_or(i64::MAX), i64::from(now.subsec_nanos()))
}

fn identity_of(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests;
