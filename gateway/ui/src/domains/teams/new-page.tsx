import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { templatesQuery } from "~/api/teams";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { Builder } from "./builder";
import { CarriedGoal } from "./carried-goal";
import { TemplateCards } from "./template-cards";

const route = getRouteApi("/shell/teams/new");

/** First the template, then the team. */
export function NewTeamPage() {
  const { template } = route.useSearch();
  const templates = useQuery(templatesQuery);
  const may = useMay();
  const chosen = templates.data?.find(({ id }) => id === template);
  return (
    <PageFrame crumbs={[{ label: "Teams", to: "/teams" }, { label: "New team" }]}>
      <h1 className="text-head-1">New team</h1>
      {!may("teams.manage") && <MissingRight what="make teams" least="member" />}
      {may("teams.manage") && <CarriedGoal />}
      {may("teams.manage") && templates.isPending && (
        <Loading what="templates" rows={6} className="rounded-panel border border-line bg-surface" />
      )}
      {templates.isError && !templates.data && (
        <Failed error={templates.error} retry={() => void templates.refetch()} className="" />
      )}
      {may("teams.manage") && templates.data && (
        <>
          {chosen && (
            <>
              <p className="break-words text-fg-2">
                From the template <bdi className="font-[550]">{visible(chosen.name)}</bdi>, version{" "}
                {chosen.version}. {visible(chosen.description)}
              </p>
              <Builder key={chosen.id} template={chosen} />
            </>
          )}
          {!chosen && template && (
            <Empty
              title="There is no such template any more"
              action={
                <Link to="/teams/new" className={buttonClass()}>
                  Choose another one
                </Link>
              }
            />
          )}
          {!template && templates.data.length > 0 && <TemplateCards templates={templates.data} />}
          {!template && templates.data.length === 0 && <Empty title="There are no templates" />}
        </>
      )}
    </PageFrame>
  );
}
