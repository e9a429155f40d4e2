// Code hosts and repositories that the mock knows at first.
import { ago } from "./ids.ts";
import type { Repo, RepoConnection, Schemas } from "./schema.ts";
import type { State } from "./state.ts";

export type KnownConnection = Omit<RepoConnection, "repos">;

let ids = 0;
const newId = () => `0198c0de-0000-7000-9000-${String((ids += 1)).padStart(12, "0")}`;

export function makeConnection(state: State, more: Partial<KnownConnection> = {}): KnownConnection {
  const connection: KnownConnection = {
    id: newId(),
    provider: "github",
    owner: "acme",
    base_url: "https://api.github.com/",
    label: "acme at github.com",
    sync: "idle",
    last_synced_at: ago(600),
    last_sync_error: null,
    last_sync_skipped: 0,
    last_sync_cut: false,
    created_by: state.user,
    created_at: ago(86_400),
    version: 1,
  };
  return { ...connection, ...more };
}

export function makeRepo(connection: { id: string }, name: string, more: Partial<Repo> = {}): Repo {
  const repo: Repo = {
    id: newId(),
    connection_id: connection.id,
    external_id: String(1000 + name.length),
    name,
    full_name: `acme/${name}`,
    description: `What ${name} is for`,
    language: "Rust",
    private: true,
    archived: false,
    fork: false,
    default_branch: "main",
    clone_url: `https://github.com/acme/${name}.git`,
    html_url: `https://github.com/acme/${name}`,
    provider_updated: ago(3600),
    seen_at: ago(600),
    gone_at: null,
    mirror: null,
  };
  return { ...repo, ...more };
}

const MIRROR: Schemas["RepoMirror"] = {
  state: "waiting",
  phase: null,
  percent: 0,
  received: 0,
  fetched_at: null,
  error: null,
  bytes: 0,
  branches: 0,
  tags: 0,
  head_branch: null,
  head_commit: null,
  version: 1,
};
export const makeMirror = (more: Partial<Schemas["RepoMirror"]> = {}): Schemas["RepoMirror"] => ({
  ...MIRROR,
  ...more,
});

/** In the order of a host. */
const BRANCHES = ["feature/timeline", "fix/login-redirect", "main", "release/1.0"];

export function makeRepos(state: State): State["repos"] {
  const github = makeConnection(state);
  const gitlab = makeConnection(state, {
    provider: "gitlab",
    owner: null,
    base_url: "https://gitlab.example/",
    label: "Tools",
    last_sync_error:
      "GitLab does not take the token (401): it is wrong, expired or revoked. Connect again with a new one.",
    last_sync_skipped: 2,
  });
  const repos = ["roost", "website", "infrastructure", "notes"].map((name, at) =>
    makeRepo(github, name, { provider_updated: ago(3600 * (at + 1)), private: at > 0, archived: at === 3 }),
  );
  return { connections: [github, gitlab], repos, branches: BRANCHES };
}
