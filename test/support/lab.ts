/**
 * Far places for tests: the labs of `scripts/lab/`, with their types. What is run over there is the test's.
 */
import * as labs from "../../scripts/lab/lab.mjs";

/** Which labs there are. */
export type LabName = labs.LabName;

/** A lab that runs. It must be stopped, in `afterAll`. */
export type Lab = labs.Lab;

/** Why this machine cannot have the lab; `undefined` when it can. */
export const absenceOfLab: (name: LabName) => string | undefined = labs.absenceOfLab;

/** Starts a lab. */
export const startLab: (name: LabName) => Promise<Lab> = labs.startLab;
