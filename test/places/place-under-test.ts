/**
 * The place that the suites run on, as `global-setup.ts` prepared it for all of their processes.
 */
import { command, container, type RemotePlace, slurm, ssh } from "@pi-bash/places";
import { HOST_BINARY, LAB_VARIABLES, PLACE } from "./variables.ts";

/** Another connection to it, which is not made yet. It has to be closed, or ends with its process. */
export function placeUnderTest(): RemotePlace {
  return placeOf(process.env[PLACE] ?? "");
}

/** `pipe` is `pi-host` without any transport. */
function placeOf(name: string): RemotePlace {
  const hostBinary = process.env[HOST_BINARY] ?? "";
  const variables = JSON.parse(process.env[LAB_VARIABLES] ?? "{}") as Record<string, string>;
  const common = { hostBinary, env: variables };
  switch (name) {
    case "pipe":
      return command([hostBinary, "stdio"], { isWhole: true, name: "pipe" });
    case "ssh":
      return ssh("lab", { ...common, configFile: variables["LAB_SSH_CONFIG"] ?? "" });
    case "podman":
      return container({ ...common, runtime: "podman", name: "lab", program: (variables["LAB_POD"] ?? "").split(" ") });
    case "slurm":
      return slurm(common);
    default:
      throw new Error(`\`${PLACE}\` is \`${name}\`; give pipe, ssh, podman or slurm`);
  }
}
