/**
 * The words of the one `napi build` that makes both binaries, for a checkout (`build-native.mjs`) and for what is
 * published (`package/cross.mjs`).
 *
 * `napi build` runs cargo, names the addon after its target and writes its TypeScript types. The supervisor is a second
 * package of the same cargo call, so that both are always of one version; the caller copies it.
 */
import { join } from "node:path";

const HEADER = `/**
 * Types of the native addon, generated from \`crates/pi-natives\` by \`npm run build:native\`. Never edit this file: change
 * the Rust source, whose comments are the ones below.
 */
`;

/** Names the addon and lists the targets. */
export const NAPI_CONFIG = join("packages", "natives", "napi.json");

/**
 * @param {string} root the workspace
 * @param {{ outputFolder: string, targetFolder: string, profile: string, triple?: string, isCross?: boolean }} options
 *   `triple` is this machine's unless given; `isCross` links with zig
 * @returns {string[]} the arguments of Node
 */
export function napiBuildWords(root, { outputFolder, targetFolder, profile, triple, isCross = false }) {
  return [
    join(root, "node_modules", "@napi-rs", "cli", "dist", "cli.js"),
    "build",
    ...["--manifest-path", join(root, "Cargo.toml"), "--package", "pi-natives"],
    ...["--package-json-path", join("packages", "natives", "package.json"), "--config-path", NAPI_CONFIG],
    ...["--output-dir", outputFolder, "--target-dir", targetFolder],
    // The name `dev` would be looked for in a folder of that name, and cargo calls the folder `debug`.
    ...(profile === "dev" ? [] : ["--profile", profile]),
    ...["--platform", "--no-js", "--no-const-enum", "--dts", "binding.d.ts", "--dts-header", HEADER],
    ...(triple === undefined ? [] : ["--target", triple]),
    ...(isCross ? ["--cross-compile"] : []),
    ...["--", "--locked", "--package", "pi-supervisor"],
  ];
}

/** Where cargo put what it built for a triple. */
export function cargoFolder(targetFolder, triple, profile) {
  return join(targetFolder, triple, profile === "dev" ? "debug" : profile);
}
