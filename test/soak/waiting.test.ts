/** Programs that work, serve or watch do not count as waiting for a person for a whole minute. */
import { followWorkingPrograms } from "../e2e/waiting/rows.ts";

followWorkingPrograms(60_000);
