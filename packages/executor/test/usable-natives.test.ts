/** Which backend an executor takes. */
import { describe, expect, it } from "vitest";
import { findBackend, type NativesEntries, usableNatives } from "../src/usable-natives.ts";

const fallback = await import("@pi-bash/natives/fallback");
const natives = await import("@pi-bash/natives");

function entries(addonInfo: () => unknown): NativesEntries {
  return {
    loadNatives: async () => ({ ...natives, addonInfo }),
    loadFallback: async () => fallback,
  };
}

describe("the backend of an executor", () => {
  it("is the addon where it loads", async () => {
    expect(await usableNatives()).toBe(natives);
  });

  it("is the fallback where there is no addon, which a warning says once", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error & { code?: string }) => {
      if (warning.code === "PI_FALLBACK") warnings.push(warning.message);
    };
    process.on("warning", onWarning);
    const missing = entries(() => {
      throw Object.assign(new Error("cannot load the native addon"), { code: "PI_NATIVE_LOAD" });
    });

    const chosen = [await usableNatives(missing), await usableNatives(missing)];
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);

    expect(chosen).toEqual([fallback, fallback]);
    expect(warnings).toEqual(["commands run without sessions: cannot load the native addon"]);
  });

  it("is named without a warning, with the reason", async () => {
    const missing = entries(() => {
      throw Object.assign(new Error("cannot load the native addon"), { code: "PI_NATIVE_LOAD" });
    });

    expect(await findBackend()).toEqual({ kind: "addon" });
    expect(await findBackend(missing)).toEqual({ kind: "fallback", problem: "cannot load the native addon" });
  });

  it("is none where the addon fails for another reason", async () => {
    const broken = entries(() => {
      throw new TypeError("a defect");
    });

    await expect(usableNatives(broken)).rejects.toThrow("a defect");
  });
});
