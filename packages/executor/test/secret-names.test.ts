/**
 * Which names and values are taken for secrets, and which are not.
 */
import { describe, expect, it } from "vitest";
import { nameMatcher } from "../src/environment/child-environment.ts";
import { isProviderKeyName, isSecretName, isSecretValue } from "../src/environment/secret-names.ts";

describe("judging names and values", () => {
  it("finds secrets by whole segments", () => {
    for (const name of [
      "API_KEY",
      "my_token",
      "DB_PASSWORD",
      "AWS_SECRET_ACCESS_KEY",
      "npm_config__authToken",
      "PGPASSWORD",
    ]) {
      expect(isSecretName(name), name).toBe(true);
    }
  });

  it("does not take a piece of a word for a secret", () => {
    for (const name of [
      "KEYBOARD_LAYOUT",
      "HOTKEY",
      "MONKEY",
      "PWD",
      "OLDPWD",
      "TOKENIZERS_PARALLELISM",
      "AWS_REGION",
      "AUTHOR",
      "SSH_AUTH_SOCK",
      "XDG_SESSION_ID",
    ]) {
      expect(isSecretName(name), name).toBe(false);
    }
  });

  it("knows keys of model providers from their other settings", () => {
    for (const name of [
      "OPENAI_API_KEY",
      "ANTHROPIC_AUTH_TOKEN",
      "GEMINI_API_KEY_2",
      "openrouter_api_key",
      "AZURE_OPENAI_API_KEY",
      "GOOGLE_API_KEY",
    ]) {
      expect(isProviderKeyName(name), name).toBe(true);
    }
    for (const name of [
      "OPENAI_BASE_URL",
      "OPENAI_MODEL",
      "GITHUB_TOKEN",
      "NPM_TOKEN",
      "GOOGLE_MAPS_KEY",
      "COLOR_KEY",
    ]) {
      expect(isProviderKeyName(name), name).toBe(false);
    }
  });

  it("finds secrets by their value", () => {
    for (const value of [
      "-----BEGIN RSA PRIVATE KEY-----\nx",
      "https://user:pw@host/x",
      "AKIAABCDEFGHIJKLMNOP",
      "xoxb-1234567890-abc",
      `sk-ant-${"a".repeat(20)}`,
    ]) {
      expect(isSecretValue(value), value).toBe(true);
    }
    for (const value of ["https://host:8080/a@b", "/usr/bin:/bin", "git@github.com:a/b.git", "hello"]) {
      expect(isSecretValue(value), value).toBe(false);
    }
  });

  it("judges a hostile value in linear time", () => {
    const started = performance.now();

    isSecretValue(`a://${"b".repeat(60_000)}`);
    isSecretValue("eyJ".repeat(20_000));

    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("matches patterns against whole names", () => {
    const matches = nameMatcher(["AWS_*", "*_URL", "A*B*C", "X"]);

    for (const name of ["AWS_KEY", "AWS_", "DB_URL", "ABC", "A1B2C", "X"]) expect(matches(name), name).toBe(true);
    for (const name of ["MY_AWS_KEY", "URL", "AB", "ACB", "XX", "aws_key"]) expect(matches(name), name).toBe(false);
  });
});
