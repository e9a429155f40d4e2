import type { Repo, RepoConnection, RepoMirror, RepoProvider } from "~/api/types";
import { bytes } from "~/ui/bytes";
import type { Tone } from "~/ui/status";

interface Host {
  name: string;
  /** Whether its address has to be said. */
  elsewhere: "never" | "perhaps" | "always";
  /** Where somebody gets a token, and what it must allow. */
  token: string;
  owner: string;
}

export const HOSTS: Record<RepoProvider, Host> = {
  github: {
    name: "GitHub",
    elsewhere: "never",
    token: "A fine-grained token with read access to metadata, and to contents for cloning.",
    owner: "Organisation or person",
  },
  github_enterprise: {
    name: "GitHub Enterprise",
    elsewhere: "always",
    token: "A personal access token that may read repositories.",
    owner: "Organisation or person",
  },
  forgejo: {
    name: "Forgejo or Gitea",
    elsewhere: "always",
    token: "An access token with the scopes read:repository, read:user and read:organization.",
    owner: "Organisation or person",
  },
  gitlab: {
    name: "GitLab",
    elsewhere: "perhaps",
    token: "A personal or group access token with the scopes read_api and read_repository.",
    owner: "Group or person",
  },
};

export function stateOf(connection: RepoConnection): { tone: Tone; word: string } {
  if (connection.sync === "running") return { tone: "moving", word: "Syncing" };
  if (connection.sync === "waiting") return { tone: "waiting", word: "About to sync" };
  if (connection.last_sync_error) return { tone: "failed", word: "Not synced" };
  return connection.last_synced_at
    ? { tone: "done", word: "Synced" }
    : { tone: "idle", word: "Never synced" };
}

/** What the last list left out, as sentences. */
export function leftOut({ last_sync_skipped: skipped, last_sync_cut: cut }: RepoConnection): string[] {
  const said: string[] = [];
  if (cut) said.push("The list is longer than 2,000 repositories. Roost reads no more than these.");
  if (skipped > 0)
    said.push(`${skipped} ${skipped === 1 ? "entry" : "entries"} could not be understood and were left out.`);
  return said;
}

const MIRROR: Record<RepoMirror["state"], { tone: Tone; word: string }> = {
  waiting: { tone: "waiting", word: "About to fetch" },
  fetching: { tone: "moving", word: "Fetching" },
  ready: { tone: "done", word: "Fetched" },
  failed: { tone: "failed", word: "Not fetched" },
  removing: { tone: "moving", word: "Being removed" },
};

export const mirrorOf = ({ state }: RepoMirror) => MIRROR[state];

const PHASES: Record<NonNullable<RepoMirror["phase"]>, string> = {
  waiting: "Waiting for other fetches",
  preparing: "The host prepares the data",
  receiving: "Receiving",
  checking: "Checking the received data",
  tidying: "Combining the packs",
};

/** How far a fetch is, in a line. */
export function progressOf({ phase, percent, received }: RepoMirror): string {
  const said = [PHASES[phase ?? "waiting"]];
  if (percent > 0) said.push(`${percent} %`);
  if (received > 0) said.push(bytes(received));
  return said.join(", ");
}

/** What tells a repository from an ordinary one. */
export const marks = (repo: Repo): string[] =>
  [repo.private && "private", repo.fork && "fork", repo.archived && "archived"].filter(
    (mark) => mark !== false,
  );

export const hostOf = (url: string): string => {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
};
