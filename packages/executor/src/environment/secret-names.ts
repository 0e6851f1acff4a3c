/**
 * Tells names and values that look like secrets.
 *
 * Names are judged by their segments between underscores, never by a piece of a word: `KEY` in `API_KEY` is a key,
 * in `KEYBOARD_LAYOUT` and `MONKEY` it is not. The tables follow what agents in the field withhold; both directions
 * have tests.
 */

/** Segments that make a name a secret's. */
const SECRET_SEGMENTS = new Set([
  "KEY",
  "KEYS",
  "APIKEY",
  "ACCESSKEY",
  "SECRETKEY",
  "PRIVATEKEY",
  "SECRET",
  "SECRETS",
  "TOKEN",
  "TOKENS",
  "AUTHTOKEN",
  "ACCESSTOKEN",
  "PASSWORD",
  "PASSWD",
  "PASSPHRASE",
  "PWD",
  "CREDENTIAL",
  "CREDENTIALS",
  "CREDS",
  "PRIVATE",
  "AUTH",
  "COOKIE",
  "SIGNING",
  "WEBHOOK",
  "DSN",
]);

/** Names whose segments mislead: directories, and the agent of SSH, which gives signatures but no key. */
const HARMLESS_NAMES = new Set(["PWD", "OLDPWD", "SSH_AUTH_SOCK", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"]);

/** Families whose every member is withheld: accounts of services. */
const SECRET_FAMILIES = [
  "AWS_",
  "AZURE_",
  "GCP_",
  "OPENAI_",
  "ANTHROPIC_",
  "GEMINI_",
  "MISTRAL_",
  "GROQ_",
  "HF_",
  "HUGGINGFACE_",
  "GITLAB_",
  "VAULT_",
  "SENTRY_",
  "STRIPE_",
  "TWILIO_",
  "SLACK_",
  "MONGO",
  "PYPI_",
];

/** Members of those families that name a place or an account, not a secret. */
const FAMILY_EXCEPTIONS = new Set(["AWS_REGION", "AWS_PROFILE", "AWS_DEFAULT_REGION"]);

/** Single names that no rule above finds. */
const SECRET_NAMES = new Set([
  "GOOGLE_APPLICATION_CREDENTIALS",
  "DOCKER_AUTH_CONFIG",
  "DATABASE_URL",
  "REDIS_URL",
  "PGPASSWORD",
  "PGPASSFILE",
  "MYSQL_PWD",
  "KUBECONFIG",
]);

/** Values that are secrets whatever they are called. Each is anchored by a fixed prefix, so matching is linear. */
const SECRET_VALUES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,256}:[^\s/@]{1,256}@/i,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/,
  /\bgithub_pat_[A-Za-z0-9_]{20,}/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\./,
  /\b[sr]k_live_[A-Za-z0-9]{10,}/,
  /\bsk-(?:ant|proj|or)-[A-Za-z0-9_-]{10,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\bnpm_[A-Za-z0-9]{36}\b/,
  /\bhf_[A-Za-z0-9]{30,}/,
];

/** Values are looked at up to here: a longer one is data, and the check must stay cheap. */
const MAX_VALUE_CHARS = 64 * 1024;

/** Services that sell model inference: their keys pay for the agent itself, so no command needs them. */
const PROVIDERS = [
  "AI_GATEWAY",
  "AI21",
  "ALIBABA",
  "ANTHROPIC",
  "AZURE_OPENAI",
  "CEREBRAS",
  "CLAUDE",
  "CLAUDE_CODE",
  "CODEX",
  "COHERE",
  "COPILOT_GITHUB",
  "DASHSCOPE",
  "DEEPINFRA",
  "DEEPSEEK",
  "FIREWORKS",
  "GEMINI",
  "GROK",
  "GROQ",
  "HF",
  "HUGGINGFACE",
  "HUGGING_FACE",
  "HUGGING_FACE_HUB",
  "KIMI",
  "LITELLM",
  "MINIMAX",
  "MISTRAL",
  "MOONSHOT",
  "NEBIUS",
  "NOVITA",
  "NVIDIA",
  "OLLAMA",
  "OPENAI",
  "OPENCODE",
  "OPENROUTER",
  "PERPLEXITY",
  "PPLX",
  "QWEN",
  "REPLICATE",
  "SAMBANOVA",
  "TOGETHER",
  "TOGETHERAI",
  "VENICE",
  "VERTEX",
  "VOYAGE",
  "XAI",
  "ZAI",
  "ZHIPU",
];

/** What follows a provider's name where the value is a key; `BASE_URL`, `MODEL` and the like are none. */
const PROVIDER_KEY_ENDINGS =
  /^_(?:[A-Z0-9]+_)*(?:API_KEYS?|KEYS?|APIKEY|API_TOKEN|AUTH_TOKEN|ACCESS_TOKEN|OAUTH_TOKEN|REFRESH_TOKEN|SETUP_TOKEN|TOKENS?|SECRET|ADMIN_KEY)(?:_[0-9]+)?$/;

/** Provider keys whose first words also begin names of other things. */
const PROVIDER_NAMES = new Set([
  "AWS_BEARER_TOKEN_BEDROCK",
  "CO_API_KEY",
  "GOOGLE_API_KEY",
  "GOOGLE_CLOUD_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
]);

/** Whether a variable of that name is a key of a model provider. */
export function isProviderKeyName(name: string): boolean {
  const upper = name.toUpperCase();
  if (PROVIDER_NAMES.has(upper)) return true;
  return PROVIDERS.some(
    (provider) => upper.startsWith(`${provider}_`) && PROVIDER_KEY_ENDINGS.test(upper.slice(provider.length)),
  );
}

/** Whether a variable of that name usually holds a secret. */
export function isSecretName(name: string): boolean {
  const upper = name.toUpperCase();
  if (HARMLESS_NAMES.has(upper) || FAMILY_EXCEPTIONS.has(upper)) return false;
  if (SECRET_NAMES.has(upper) || SECRET_FAMILIES.some((family) => upper.startsWith(family))) return true;
  const segments = upper.split("_");
  if (segments.some((segment) => SECRET_SEGMENTS.has(segment))) return true;
  return upper.includes("CONNECTION_STRING");
}

/** Whether a value has the form of a secret. */
export function isSecretValue(value: string): boolean {
  if (value.length < 8 || value.length > MAX_VALUE_CHARS) return false;
  return SECRET_VALUES.some((pattern) => pattern.test(value));
}
