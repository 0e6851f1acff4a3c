/**
 * `@pi-bash/natives` as suites see it in the mode `places`: sessions and one-shots run on the place that
 * `PI_BASH_TEST_PLACE` names, everything else is the package's own. `vitest.config.ts` puts this file in its place.
 */
import { openPlaceUnderTest } from "./place-under-test.ts";

// biome-ignore lint/performance/noReExportAll: whatever a suite asks for has to be here
// biome-ignore lint/performance/noBarrelFile: it stands in the place of one
export * from "@pi-bash/natives";

const { natives } = await openPlaceUnderTest();

export const Shell = natives.Shell;
export type Shell = InstanceType<typeof Shell>;
export const executeShell = natives.executeShell;
export const capabilities = natives.capabilities;
