/**
 * The tools' descriptions: short, and true in the session they are made for.
 */
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { createJobTool } from "../src/job-tool.ts";
import { jobs, scene } from "./support/session.ts";

describe("the description of the bash tool", () => {
  it("names nothing that the session does not have", () => {
    const { description } = createBashTool(scene().session);

    expect(description).not.toMatch(/async|background|pty|skill:|local:|Use other tools/);
    expect(description).toContain("artifact://<id>");
    expect(description.split("\n").length).toBeLessThan(15);
  });

  it("names what is enabled, as it is now", async () => {
    const place = scene(
      {
        "async.enabled": true,
        "bash.autoBackground.enabled": true,
        "bash.autoBackground.thresholdMs": 20_000,
        "bashInterceptor.enabled": true,
      },
      {
        asyncJobManager: await jobs(),
        toolNames: ["read", "bash"],
        internalUrls: { localRoot: "/x" },
        pty: { run: () => Promise.reject(new Error("not used")) },
      },
    );
    const tool = createBashTool(place.session);

    const { description } = tool;
    expect(description).toContain("`async: true`");
    expect(description).toContain("longer than 20 s");
    expect(description).toContain("`pty: true`");
    expect(description).toContain("`local://<path>`");
    expect(description).toContain("Use other tools where they fit: `read` for cat/head/tail.");
    expect(description.split("\n").length).toBeLessThan(15);
    Object.assign(place.session, { settings: {} });
    expect(tool.description).not.toContain("async");
  });
});

describe("the description of the job tool", () => {
  it("names each of its parameters", () => {
    const tool = createJobTool(scene().session);

    expect(tool).toMatchObject({ name: "job", strict: true });
    for (const name of Object.keys(tool.parameters.shape)) expect(tool.description).toContain(`\`${name}: `);
  });
});
