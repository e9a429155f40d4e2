import { Link } from "@tanstack/react-router";
import type { Repo } from "~/api/types";
import { type Column, LiveTable } from "~/ui/data-table";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { marks } from "./words";

const said = (repo: Repo) => marks(repo).join(", ");

const COLUMNS: Column<Repo>[] = [
  {
    name: "Repository",
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
    look: "max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: ({ language }) => language || <span className="text-fg-3">–</span>,
  },
  {
    name: "Kind",
    look: "max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: (repo) => said(repo) || <span className="text-fg-3">public</span>,
  },
  {
    name: "Changed",
    look: "text-right max-sm:hidden",
    cell: "text-fg-2",
    show: (repo) => <Ago at={repo.provider_updated} never="–" />,
  },
];

/** Repositories, those that changed last first; `chosen` is what the reader looks for. */
export function RepoTable({ repos, chosen }: { repos: Repo[]; chosen: string }) {
  return (
    <div className={table.frame}>
      <LiveTable
        opens
        label="Table of repositories"
        what={["repository", "repositories"]}
        columns={COLUMNS}
        rows={repos}
        chosen={chosen}
      />
    </div>
  );
}
