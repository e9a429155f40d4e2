import { Link } from "@tanstack/react-router";
import type { Repo } from "~/api/types";
import type { ListColumn } from "~/ui/list/list-table";
import type { Keys, Sorting } from "~/ui/list/sort";
import { SortedTable } from "~/ui/list/sorted-table";
import { Ago } from "~/ui/time";
import { marks } from "./words";

const said = (repo: Repo) => marks(repo).join(", ");

/** The order of the gateway: those that changed last first. */
const OWN = "-changed";
export const KEYS: Keys<Repo> = {
  name: ({ full_name }) => full_name,
  language: ({ language }) => language ?? undefined,
  kind: (repo) => said(repo) || "public",
  changed: ({ provider_updated: at }) => (at ? Date.parse(at) : undefined),
};

const COLUMNS: ListColumn<Repo>[] = [
  {
    name: "Repository",
    orders: ["name", "-name"],
    show: (repo) => (
      <>
        <Link
          to="/repos/$id"
          params={{ id: repo.id }}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
          title={repo.full_name}
        >
          <bdi>{repo.full_name}</bdi>
        </Link>
        <span className="block truncate text-small text-fg-3">
          <bdi>{repo.description || "no description"}</bdi>
        </span>
        <span className="block truncate text-small text-fg-3 sm:hidden">
          {said(repo) && `${said(repo)}, `}changed{" "}
          <Ago at={repo.provider_updated} never="at a time unknown" />
        </span>
      </>
    ),
  },
  {
    name: "Language",
    orders: ["language", "-language"],
    look: "w-40 max-md:hidden",
    cell: "truncate text-fg-2",
    show: ({ language }) => language || <span className="text-fg-3">–</span>,
  },
  {
    name: "Kind",
    orders: ["kind", "-kind"],
    look: "w-44 max-sm:hidden",
    cell: "truncate text-fg-2",
    show: (repo) => said(repo) || <span className="text-fg-3">public</span>,
  },
  {
    name: "Changed",
    orders: ["-changed", "changed"],
    look: "w-36 text-right max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: (repo) => <Ago at={repo.provider_updated} never="–" />,
  },
];

const nameOf = ({ full_name }: Repo) => full_name;

/** Repositories in the order of the address; `chosen` is what the reader looks for. */
export const RepoTable = ({ repos, ...more }: { repos: Repo[]; chosen: string; sorting: Sorting }) => (
  <SortedTable
    {...more}
    label="Table of repositories"
    what={["repository", "repositories"]}
    columns={COLUMNS}
    rows={repos}
    keys={KEYS}
    own={OWN}
    nameOf={nameOf}
  />
);
