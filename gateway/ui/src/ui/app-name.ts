// What apps are called, wherever one of them is named.
const NAMES: Record<string, string> = {
  github: "GitHub",
  gitlab: "GitLab",
  forgejo: "Forgejo",
  gitea: "Gitea",
  slack: "Slack",
  notion: "Notion",
  linear: "Linear",
  jira: "Jira",
  google: "Google",
  webhook: "Webhook",
};
/** One that nobody here has heard of keeps the name that the gateway has for it. */
export const appName = (provider: string): string => NAMES[provider] ?? provider;
