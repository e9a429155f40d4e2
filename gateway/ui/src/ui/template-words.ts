// What the words of templates and of what agents may use mean to a person.
const CATEGORIES: Record<string, string> = {
  research: "Research",
  development: "Development",
  security: "Security",
  ops: "Operations",
};
export const categoryName = (category: string) => CATEGORIES[category] ?? category;

const PROFILES: Record<string, { name: string; says: string }> = {
  toolfree: { name: "No tools", says: "They think and talk, and touch nothing." },
  research_readonly: { name: "Read only", says: "They read files and repositories, and change nothing." },
  coding_readwrite: {
    name: "Read, write, run",
    says: "They read and write files and run commands in the sandbox.",
  },
};
export const PROFILE_NAMES = Object.entries(PROFILES).map(([value, { name }]) => ({ value, label: name }));
export const profileName = (profile: string) => PROFILES[profile]?.name ?? profile;
export const profileSays = (profile: string) => PROFILES[profile]?.says ?? "";

const NEEDS: Record<string, string> = { gpu: "a GPU", mobile_sdk: "a mobile SDK (Android or iOS)" };
export const NEED_NAMES = Object.entries(NEEDS).map(([value, label]) => ({ value, label }));
export const needName = (need: string) => NEEDS[need] ?? need;
/** The image of a template or a team, for people. */
export const imageName = (kind: string | null | undefined) => kind ?? "the deployment's default image";

const BUNDLES: Record<string, string> = {
  door: "ask for approvals",
  skills: "read skills",
  sandbox: "work in a sandbox",
  repo: "work on repositories",
};
export const BUNDLE_NAMES = Object.entries(BUNDLES).map(([value, label]) => ({ value, label }));
export const bundleName = (bundle: string) => BUNDLES[bundle] ?? bundle;
