import { Link } from "@tanstack/react-router";
import type { Repo } from "~/api/types";
import { cx } from "~/ui/class";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { marks } from "./words";

function Row({ repo, gone }: { repo: Repo; gone: boolean }) {
  const said = marks(repo).join(", ");
  return (
    <tr className={cx(table.row, gone && "line-through opacity-60")}>
      <th scope="row" className={cx(table.cell, "max-w-0 w-full font-normal")}>
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
          {said && `${said}, `}changed <Ago at={repo.provider_updated} never="at a time unknown" />
        </span>
      </th>
      <td className={cx(table.cell, "whitespace-nowrap text-fg-2 max-md:hidden")}>
        {repo.language || <span className="text-fg-3">–</span>}
      </td>
      <td className={cx(table.cell, "whitespace-nowrap text-fg-2 max-sm:hidden")}>
        {said || <span className="text-fg-3">public</span>}
      </td>
      <td className={cx(table.cell, "text-right text-fg-2 max-sm:hidden")}>
        <Ago at={repo.provider_updated} never="–" />
      </td>
    </tr>
  );
}

/** Repositories, those that changed last first; `chosen` is what the reader looks for. */
export function RepoTable({ repos, chosen }: { repos: Repo[]; chosen: string }) {
  const { rows, waiting, held, release, bind } = useHeld(repos, chosen);
  return (
    <div className="min-w-0 rounded-panel border border-line bg-surface">
      <div className="border-b border-line px-4 py-1.5">
        <HeldNote
          held={held}
          waiting={waiting}
          release={release}
          count={repos.length}
          what={repos.length === 1 ? "repository" : "repositories"}
        />
      </div>
      {/* Scrolled by keyboard where it is wider than the screen.
          oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={table.wrap} role="region" aria-label="Table of repositories" tabIndex={0} {...bind}>
        <table className={table.root}>
          <thead>
            <tr>
              <th scope="col" className={table.head}>
                Repository
              </th>
              <th scope="col" className={cx(table.head, "max-md:hidden")}>
                Language
              </th>
              <th scope="col" className={cx(table.head, "max-sm:hidden")}>
                Kind
              </th>
              <th scope="col" className={cx(table.head, "text-right max-sm:hidden")}>
                Changed
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ item, gone }) => (
              <Row key={item.id} repo={item} gone={gone} />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
