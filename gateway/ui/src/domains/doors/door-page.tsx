import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { visible } from "~/ui/visible";
import { useCards } from "./cards";
import { DoorCard } from "./door-card";
import { doorQuery } from "./queries";

const route = getRouteApi("/shell/approvals/$id");

/** One request at its own address, which notifications and Home link: to decide it, or to see the decision. */
export function ApprovalPage() {
  const { id } = route.useParams();
  const door = useQuery(doorQuery(id));
  const { own, cardOf, ready } = useCards();
  const may = useMay();
  const missing = door.isError && asProblem(door.error).status === 404;
  const card = door.data && ready ? cardOf(door.data) : undefined;
  const title = card?.action?.title ?? visible(door.data?.action ?? "Request");
  return (
    <PageFrame crumbs={[{ label: "Approvals", to: "/approvals" }, { label: title }]}>
      <h1 className="text-head-1">Request for approval</h1>
      {(door.isPending || (door.data && !ready)) && (
        <Loading what="the request" rows={3} className="rounded-panel border border-line bg-surface" />
      )}
      {missing && (
        <Empty
          title="This request does not exist"
          action={
            <Link to="/approvals" className={buttonClass("primary")}>
              All approvals
            </Link>
          }
        >
          The link is wrong, or the request belongs to another workspace.
        </Empty>
      )}
      {door.isError && !missing && !door.data && (
        <Failed error={door.error} retry={() => void door.refetch()} className="" />
      )}
      {!missing && <Stale query={door} />}
      {door.data && card && (
        <ul className="rounded-panel border border-line bg-surface">
          <DoorCard key={id} {...card} door={door.data} own={own} mayResolve={may("doors.resolve")} />
        </ul>
      )}
      {door.data && !may("doors.resolve") && (
        <MissingRight what="approve or deny what agents ask for" least="member" />
      )}
    </PageFrame>
  );
}
