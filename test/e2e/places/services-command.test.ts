/** Services over command: what `services.ts` says of any place. */
import { describeServices } from "./services.ts";

describeServices("command");
