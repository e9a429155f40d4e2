import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Play, Plus } from "lucide-react";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import { Button, buttonClass } from "~/ui/button";
import { cx } from "~/ui/class";
import { PageFrame } from "~/ui/page";
import type { Shown } from "~/ui/shown";
import { Loading } from "~/ui/skeleton";
import { Needs, useNeeds } from "./needs";
import { Running } from "./runs";
import { Spend } from "./spend";
import { Start, useStart } from "./start";

const route = getRouteApi("/shell/");

// The first page is there before the form is.
const GiveWork = lazy(() => import("./give-work"));

/** The first page of a workspace: what needs a person, what runs, what was done, and what it took. */
export function HomePage({ activity }: { activity: (shown: Shown) => ReactNode }) {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useQuery(meQuery);
  const may = useMay();
  const start = useStart(me.data?.workspace.id ?? "");
  const needs = useNeeds();
  const [giving, setGiving] = useState(false);
  const bare = start.fresh && start.shown;
  return (
    <PageFrame
      wide
      first
      crumbs={[{ label: "Home" }]}
      actions={
        !start.undecided && (
          <>
            {!bare && may("teams.manage") && (
              <Link to="/teams/new" className={buttonClass()}>
                <Plus size={14} aria-hidden />
                New team
              </Link>
            )}
            {may("runs.start") && (
              // Of a new workspace the first steps lead.
              <Button
                look={bare ? "plain" : "primary"}
                icon={<Play size={14} aria-hidden />}
                onClick={() => setGiving(true)}
              >
                Give work
              </Button>
            )}
          </>
        )
      }
    >
      {giving && (
        <Suspense>
          <GiveWork onClose={() => setGiving(false)} />
        </Suspense>
      )}
      <h1 className="text-head-1">Home</h1>
      {start.undecided && (
        <Loading what="the workspace" rows={8} className="rounded-panel border border-line bg-surface" />
      )}
      {!start.undecided && (
        <div
          className={cx(
            "grid items-start gap-6",
            bare ? "max-w-4xl" : "xl:grid-cols-[minmax(0,1fr)_400px] 2xl:grid-cols-[minmax(0,1fr)_460px]",
          )}
        >
          <div className="flex min-w-0 flex-col gap-6">
            {bare && <Start state={start} />}
            {(!bare || needs.needs.length > 0 || needs.failed) && <Needs state={needs} />}
            {!bare && <Running />}
            {!bare &&
              activity({
                show,
                onShow: (next) => void navigate({ search: next ? { show: next } : {}, replace: true }),
              })}
            {!bare && start.shown && <Start state={start} />}
          </div>
          {!bare && (
            <div className="flex min-w-0 flex-col gap-6">
              <Spend />
            </div>
          )}
        </div>
      )}
    </PageFrame>
  );
}
