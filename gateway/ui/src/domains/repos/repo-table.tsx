import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Repo } from "~/api/types";
import { type Column, LiveTable } from "~/ui/data-table";
import { type Keys, type Orders, sortColumns, sortedBy, type Sorting } from "~/ui/list/sort";
import { table } from "~/ui/table";
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

const COLUMNS: (Column<Repo> & { orders?: Orders })[] = [
  {
    name: "Repository",
    orders: ["name", "-name"],
    cell: "w-full max-w-0",
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
        <span className="text-small text-fg-3 sm:hidden">
          {said(repo) && `${said(repo)}, `}changed{" "}
          <Ago at={repo.provider_updated} never="at a time unknown" />
        </span>
      </>
    ),
  },
  {
    name: "Language",
    orders: ["language", "-language"],
    look: "max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: ({ language }) => language || <span className="text-fg-3">–</span>,
  },
  {
    name: "Kind",
    orders: ["kind", "-kind"],
    look: "max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: (repo) => said(repo) || <span className="text-fg-3">public</span>,
  },
  {
    name: "Changed",
    orders: ["-changed", "changed"],
    look: "text-right max-sm:hidden",
    cell: "text-fg-2",
    show: (repo) => <Ago at={repo.provider_updated} never="–" />,
  },
];

/** Repositories in the order of the address; `chosen` is what the reader looks for. */
export function RepoTable({ repos, chosen, sorting }: { repos: Repo[]; chosen: string; sorting: Sorting }) {
  const rows = useMemo(() => sortedBy(repos, sorting.by || OWN, KEYS), [repos, sorting.by]);
  return (
    <div className={table.frame}>
      <LiveTable
        opens
        label="Table of repositories"
        what={["repository", "repositories"]}
        columns={sortColumns(COLUMNS, sorting, OWN)}
        rows={rows}
        chosen={`${sorting.by} ${chosen}`}
      />
    </div>
  );
}
