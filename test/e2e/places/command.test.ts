/** Sessions over command: what `sessions.ts` says of any place. */
import { describePlace } from "./sessions.ts";

describePlace("command");
