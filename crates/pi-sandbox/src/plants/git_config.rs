//! Whether a configuration file of git can be obeyed without running a program or leaving the
//! workspace.
//!
//! Keys that git itself writes are known to be harmless; every other key, and every line that is not
//! understood, counts as harmful. Git has hundreds of keys that run programs, and gets more.

use std::path::{Component, Path, PathBuf};

/// Section and key in lower case, without a subsection: what only names, numbers and switches belong
/// to.
const HARMLESS: &[&str] = &[
    "advice.*",
    "author.email",
    "author.name",
    "branch.description",
    "branch.gh-merge-base",
    "branch.github-pr-owner-number",
    "branch.merge",
    "branch.pushremote",
    "branch.rebase",
    "branch.remote",
    "branch.vscode-merge-base",
    "color.*",
    "commit.gpgsign",
    "committer.email",
    "committer.name",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.commitgraph",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.multipackindex",
    "core.precomposeunicode",
    "core.protecthfs",
    "core.protectntfs",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.symlinks",
    "core.untrackedcache",
    "extensions.*",
    "feature.manyfiles",
    "fetch.prune",
    "gc.auto",
    "gc.autodetach",
    "index.version",
    "init.defaultbranch",
    "lfs.repositoryformatversion",
    "maintenance.auto",
    "merge.conflictstyle",
    "merge.ff",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "push.followtags",
    "rebase.autosquash",
    "rebase.autostash",
    "receive.denycurrentbranch",
    "receive.denynonfastforwards",
    "remote.fetch",
    "remote.gh-resolved",
    "remote.mirror",
    "remote.partialclonefilter",
    "remote.promisor",
    "remote.prune",
    "remote.push",
    "remote.pushurl",
    "remote.tagopt",
    "remote.url",
    "status.*",
    "submodule.active",
    "submodule.branch",
    "submodule.ignore",
    "submodule.url",
    "tag.gpgsign",
    "user.email",
    "user.name",
    "user.signingkey",
];

/// Whether nothing in `text` runs a program. `folder`: where relative working folders begin; `roots`:
/// where they may lead.
pub(super) fn is_harmless(text: &str, folder: &Path, roots: &[PathBuf]) -> bool {
    let mut section = String::new();
    text.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        // A value that goes on in the next line is not what git itself writes.
        if line.ends_with('\\') {
            return false;
        }
        if let Some(header) = line.strip_prefix('[') {
            // A key may follow in the same line; git writes none there.
            let Some(name) = header.strip_suffix(']') else { return false };
            let name = name.split([' ', '\t', '.']).next().unwrap_or_default();
            section = name.to_ascii_lowercase();
            return !section.is_empty() && section.bytes().all(|byte| byte.is_ascii_alphanumeric());
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "true"));
        let key = key.trim().to_ascii_lowercase();
        match format!("{section}.{key}").as_str() {
            "core.worktree" => leads_inside(value.trim(), folder, roots),
            "submodule.update" => matches!(value.trim(), "checkout" | "rebase" | "merge" | "none"),
            // `helper::address` runs a program of that name.
            "remote.url" | "remote.pushurl" | "submodule.url" if value.contains("::") => false,
            name => HARMLESS.iter().any(|known| match known.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => *known == name,
            }),
        }
    })
}

/// Whether a path that is written in a file of `folder` leads into one of the roots.
pub(super) fn leads_inside(text: &str, folder: &Path, roots: &[PathBuf]) -> bool {
    let target = joined(folder, text);
    roots.iter().any(|root| target.starts_with(root))
}

/// The path that `text` means in `folder`, by its words alone.
pub(super) fn joined(folder: &Path, text: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in folder.join(text).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harmless(text: &str) -> bool {
        is_harmless(text, Path::new("/project/.git/modules/sub"), &[PathBuf::from("/project")])
    }

    #[test]
    fn what_git_writes_is_harmless() {
        for text in [
            "",
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n",
            "[remote \"origin\"]\n\turl = git@host:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[branch \"a.b\"]\n\tremote = origin\n\tmerge = refs/heads/a\n",
            "[submodule \"x\"]\n\tactive = true\n\turl = https://host/x\n\tupdate = none\n",
            "[core]\n\tworktree = ../../../sub\n",
            "[extensions]\n\tworktreeConfig = true\n# a comment\n; another\n",
            "[user]\n\tname = A B\n\temail = a@b\n[core]\n\tbare\n",
            "# a comment\n\n[user]\n; another\n\n\tname = A B\n",
        ] {
            assert!(harmless(text), "{text}");
        }
    }

    #[test]
    fn what_runs_a_program_or_is_not_understood_is_not() {
        for text in [
            "[core]\n\tfsmonitor = ./x\n",
            "[core]\n\tsshCommand = x\n",
            "[CORE]\n\tHooksPath = x\n",
            "[core] pager = x\n",
            "[core]\n\tbare = \\\n false\n",
            "[alias]\n\tst = !x\n",
            "[filter \"x\"]\n\tclean = x\n",
            "[filter.x]\n\tclean = x\n",
            "[diff \"x\"]\n\ttextconv = x\n",
            "[include]\n\tpath = ../x\n",
            "[includeIf \"gitdir:/\"]\n\tpath = ../x\n",
            "[gpg]\n\tprogram = x\n",
            "[remote \"origin\"]\n\turl = ext::sh -c x\n",
            "[remote \"origin\"]\n\tuploadpack = x\n",
            "[submodule \"x\"]\n\tupdate = !x\n",
            "[core]\n\tworktree = ../../../../home\n",
            "[core]\n\tworktree = /home\n",
            "[url \"ext::sh -c x\"]\n\tinsteadOf = https://\n",
            "[\n",
            "[]\n",
            "[a/b]\n",
            "no section = x\n",
        ] {
            assert!(!harmless(text), "{text}");
        }
    }
}
