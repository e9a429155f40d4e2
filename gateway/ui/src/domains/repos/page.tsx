import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { FolderGit2, Plus } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { GuideLink } from "~/ui/guide-link";
import { useLook } from "~/ui/list/look";
import { cleared, type Filters } from "~/ui/list/saved";
import { useSettled } from "~/ui/list/settled";
import type { Sorting } from "~/ui/list/sort";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { ConnectDialog } from "./connect-dialog";
import { Connections } from "./connections";
import { connectionsQuery, MOST, reposQuery } from "./queries";
import { KEYS, RepoTable } from "./repo-table";

// One chunk for both pages: what they share would be a file of its own.
export { RepoPage } from "./repo-page";

const route = getRouteApi("/shell/repos");
const box = "rounded-panel border border-line bg-surface";

interface ListProps {
  q: string;
  /** What the address has, without its dialog. */
  filters: Filters;
  onFilter: (q: string) => void;
  sorting: Sorting;
}

function List({ q, filters, onFilter, sorting }: ListProps) {
  const everything = useQuery(reposQuery(""));
  const full = (everything.data?.length ?? 0) >= MOST;
  // Where the gateway could not give all of them, it searches; otherwise everything is here already.
  const asked = useSettled(full ? q.trim() : "");
  const found = useQuery(reposQuery(asked));
  const shown = useMemo(() => {
    const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
    const repos = found.data ?? [];
    if (full) return repos;
    return repos.filter((repo) =>
      parts.every((part) =>
        [repo.full_name, repo.name, repo.description, repo.language].some((text) =>
          text?.toLowerCase().includes(part),
        ),
      ),
    );
  }, [found.data, full, q]);
  if (found.isPending) return <Loading what="repositories" rows={4} className={box} />;
  if (!found.data) return <Failed error={found.error} retry={() => void found.refetch()} className="" />;
  return (
    <>
      <Views list="repos" filters={filters} />
      <FilterField label="Search repositories" value={q} onChange={onFilter} />
      <Stale query={found} />
      {full && shown.length >= MOST && (
        <Notice>These are the {MOST} that changed last. Search to find the others.</Notice>
      )}
      {shown.length > 0 && <RepoTable repos={shown} chosen={q} sorting={sorting} />}
      {shown.length === 0 && q !== "" && (
        <Empty
          title="No repository fits the search"
          action={<Button onClick={() => onFilter("")}>Clear search</Button>}
        />
      )}
      {shown.length === 0 && q === "" && (
        <Empty title="No repositories yet">
          When a connection is synced, the repositories that its token can see appear here.
        </Empty>
      )}
    </>
  );
}

export function ReposPage() {
  const { asked, look, sorting } = useLook(route, KEYS);
  const { q = "", dialog } = asked;
  const connections = useQuery(connectionsQuery);
  const may = useMay();
  const manages = may("repos.manage");
  const connecting = (open: boolean) => look({ dialog: open ? "connect" : "" });
  const button = manages && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => connecting(true)}>
      Connect
    </Button>
  );
  const none = connections.data?.length === 0;
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Integrations", to: "/connections" }, { label: "Repositories" }]}
      actions={none ? undefined : button}
    >
      <h1 className="text-head-1">Repositories</h1>
      {connections.isPending && <Loading what="connections" rows={2} className={box} />}
      {connections.isError && !connections.data && (
        <Failed error={connections.error} retry={() => void connections.refetch()} className="" />
      )}
      {none && (
        <Empty
          icon={<FolderGit2 size={32} strokeWidth={1.5} aria-hidden />}
          title="No code host is connected"
          action={button}
        >
          Connect GitHub, GitLab, Forgejo or Gitea with a token that may read, and its repositories are listed
          here. <GuideLink to="repository">your own repository</GuideLink>
        </Empty>
      )}
      {connections.data && !none && (
        <>
          <Connections query={connections} />
          <List
            q={q}
            filters={cleared({ ...asked, dialog: undefined })}
            onFilter={(text) => look({ q: text })}
            sorting={sorting}
          />
        </>
      )}
      {connections.data && !manages && <MissingRight what="connect or remove code hosts" least="admin" />}
      {dialog === "connect" && manages && <ConnectDialog onClose={() => connecting(false)} />}
    </PageFrame>
  );
}
