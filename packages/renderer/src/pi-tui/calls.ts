/**
 * Calls, tasks, jobs and a person's own commands as components of `@earendil-works/pi-tui`: put them into a container, hand
 * them what happens, and ask the TUI for a render. They are the components of this package, with rows that pi-tui takes.
 */
import type { Component } from "@earendil-works/pi-tui";
import { BashExecutionComponent } from "../bang-command.ts";
import { BashCallComponent, JobCallComponent, TaskCallComponent } from "../call-component.ts";
import { FittedRows } from "./fitted-rows.ts";

/** One call of the bash tool and its answer. */
export class BashCall extends BashCallComponent implements Component {
  readonly #fitted = new FittedRows();

  /** Rows of at most `width` columns. The array belongs to the component: do not change it. */
  override render(width: number): string[] {
    return this.#fitted.of(super.render(width), width);
  }
}

/** One call of a task tool and its answer. */
export class TaskCall extends TaskCallComponent implements Component {
  readonly #fitted = new FittedRows();

  /** Rows of at most `width` columns. The array belongs to the component: do not change it. */
  override render(width: number): string[] {
    return this.#fitted.of(super.render(width), width);
  }
}

/** One call of the job tool and its answer. */
export class JobCall extends JobCallComponent implements Component {
  readonly #fitted = new FittedRows();

  /** Rows of at most `width` columns. The array belongs to the component: do not change it. */
  override render(width: number): string[] {
    return this.#fitted.of(super.render(width), width);
  }
}

/** A person's own command. */
export class UserBash extends BashExecutionComponent implements Component {
  readonly #fitted = new FittedRows();

  /** Rows of at most `width` columns. The array belongs to the component: do not change it. */
  override render(width: number): string[] {
    return this.#fitted.of(super.render(width), width);
  }
}
