import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import type { Repo } from "~/api/types";
import { buttonClass } from "~/ui/button";
import { CopyText } from "~/ui/copy";
import { Notice } from "~/ui/notice";
import { PageFrame } from "~/ui/page";
import { Facts, Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Ago } from "~/ui/time";
import { Mirror } from "./mirror";
import { connectionsQuery, repoQuery } from "./queries";
import { hostOf, marks } from "./words";
import { BackLink } from "~/ui/back-link";

const route = getRouteApi("/shell/repos/$id");
const DASH = <span className="text-fg-3">–</span>;

function About({ repo }: { repo: Repo }) {
  const connections = useQuery(connectionsQuery);
  const connection = connections.data?.find(({ id }) => id === repo.connection_id);
  const rows: [string, ReactNode][] = [
    ["Kind", marks(repo).join(", ") || "public"],
    ["Language", repo.language || DASH],
    [
      "Default branch",
      repo.default_branch ? <CopyText key="branch" text={repo.default_branch} what="default branch" /> : DASH,
    ],
    ["Clone", <CopyText key="clone" text={repo.clone_url} what="clone address" />],
    ["Changed", <Ago key="changed" at={repo.provider_updated} never="–" />],
    ["Last seen", <Ago key="seen" at={repo.seen_at} />],
    ["Connection", connection ? <bdi key="connection">{connection.label}</bdi> : DASH],
    ["Id at the host", repo.external_id],
  ];
  return (
    <Panel title="About">
      <div className="break-all">
        <Facts items={rows} />
      </div>
    </Panel>
  );
}

export function RepoPage() {
  const { id } = route.useParams();
  const repo = useQuery(repoQuery(id));
  const crumbs = [{ label: "Repositories", to: "/repos" as const }, { label: repo.data?.full_name ?? "…" }];
  return (
    <PageFrame
      crumbs={crumbs}
      actions={
        repo.data && (
          <a href={repo.data.html_url} target="_blank" rel="noreferrer noopener" className={buttonClass()}>
            <ExternalLink size={14} aria-hidden />
            Open at {hostOf(repo.data.html_url)}
          </a>
        )
      }
    >
      {repo.isPending && <Loading what="the repository" rows={5} />}
      {repo.isError && !repo.data && (
        <Failed
          error={repo.error}
          retry={() => void repo.refetch()}
          gone={<BackLink to="/repos">All repositories</BackLink>}
          className=""
        />
      )}
      {repo.data && (
        <>
          <h1 className="text-head-1 break-words">
            <bdi>{repo.data.full_name}</bdi>
          </h1>
          {repo.data.description && (
            <p className="break-words text-fg-2">
              <bdi>{repo.data.description}</bdi>
            </p>
          )}
          <Stale query={repo} />
          {repo.data.gone_at && (
            <Notice tone="warning">
              Its host has not listed it since <Ago at={repo.data.gone_at} />: it was deleted or moved, or the
              token does not see it any more.
            </Notice>
          )}
          <About repo={repo.data} />
          <Mirror repo={repo.data} />
        </>
      )}
    </PageFrame>
  );
}
