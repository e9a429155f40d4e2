import { useQuery } from "@tanstack/react-query";
import { asProblem } from "~/api/problem";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Promises } from "~/api/types";
import { number } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { Empty } from "~/ui/empty";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";

type One = Promises["promises"][number];

const EVERY_MS = 2000;

function Standing({ one }: { one: One }) {
  if (!one.promised) return <Status tone="idle" word="Not yet promised" />;
  return one.broken > 0 ? (
    <Status tone="failed" word={`Broken ${number(one.broken)} times`} />
  ) : (
    <Status tone="done" word="Kept" />
  );
}

function PromisePanel({ one }: { one: One }) {
  return (
    <Panel title={one.id} aside={<Standing one={one} />}>
      <p className={cx("px-4 pt-3", one.promised ? "" : "pb-3 text-fg-2")}>{one.text}</p>
      {one.promised && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 px-4 py-3 text-small">
          {one.watches.map((watch) => (
            <div key={watch.name} className="contents">
              <dt
                className={cx(
                  "min-w-10 text-right tabular-nums",
                  watch.finding === "broken" && watch.count > 0 ? "text-failed" : "text-fg",
                )}
              >
                {number(watch.count)}
              </dt>
              <dd className="text-fg-2">
                <span className="text-fg-3">{watch.finding === "broken" ? "broken" : "defended"} · </span>
                {watch.says}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Panel>
  );
}

/** What is promised, how often each promise was defended, and that none was broken. Numbers change in place. */
export function PromisesPage() {
  const promises = useQuery({
    queryKey: keys.promises,
    queryFn: ({ signal }) => api.get<Promises>("/api/ops/promises", { signal }),
    refetchInterval: (query) =>
      query.state.error && asProblem(query.state.error).status === 403 ? false : EVERY_MS,
    gcTime: 60_000,
  });
  const forbidden = promises.isError && asProblem(promises.error).status === 403;
  const all = promises.data?.promises ?? [];
  const broken = all.reduce((sum, one) => sum + one.broken, 0);
  return (
    <PageFrame crumbs={[{ label: "Supervision", to: "/operator" }, { label: "Promises" }]}>
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-head-1">Promises</h1>
        {promises.data && (
          <p className="text-fg-3">
            <span className={broken > 0 ? "text-failed" : ""}>
              {broken === 0 ? "none broken" : `${number(broken)} broken`}
            </span>{" "}
            since this gateway started <Ago at={promises.data.since} />
          </p>
        )}
      </header>
      {promises.isPending && <Loading what="the promises" rows={8} />}
      {forbidden && (
        <Empty title="The promises are for operators">
          Your account lacks the operator grant. Whoever runs this Roost can give it in the configuration or
          on the command line.
        </Empty>
      )}
      {promises.isError && !forbidden && (
        <Failed error={promises.error} retry={() => void promises.refetch()} className="" />
      )}
      {promises.data && !forbidden && (
        <div className="grid gap-4 lg:grid-cols-2">
          {all.map((one) => (
            <PromisePanel key={one.id} one={one} />
          ))}
        </div>
      )}
    </PageFrame>
  );
}
