/** What the runner inside the fixture and the test outside it say of a line that the tool refused. */

/** Stands for the status of a line that the tool did not run; no program ends with it. */
export const REFUSED_STATUS = 1_000;
