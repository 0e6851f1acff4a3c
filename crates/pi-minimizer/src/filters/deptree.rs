//! Dependency trees: npm ls, pnpm ls, yarn list, cargo tree, gradle dependencies, uv and pip trees.

use crate::check::Policy;
use crate::doc::{Doc, OverBudget};
use crate::family::{Family, Run};
use crate::records::tree;

pub(crate) static FAMILY: Family = Family {
    name: "tree",
    prints: |target| {
        let listing = matches!(
            target.subcommand(),
            "ls" | "list"
                | "ll"
                | "la"
                | "tree"
                | "why"
                | "dependencies"
                | "explain"
                | "show"
                | "pm"
        );
        listing
            && matches!(
                target.program.as_str(),
                "npm"
                    | "pnpm"
                    | "yarn"
                    | "bun"
                    | "cargo"
                    | "gradle"
                    | "gradlew"
                    | "uv"
                    | "poetry"
                    | "pip"
                    | "pdm"
            )
            || matches!(target.program.as_str(), "pipdeptree" | "pstree" | "deptree" | "npm-ls")
    },
    signature: &[],
    alone: false,
    policy: Policy::STRICT,
    mark: |doc: &mut Doc<'_>, _run: &Run<'_>| -> Result<(), OverBudget> {
        tree::redraw(doc).map(|_| ())
    },
};
