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
import { useLivePromises } from "./live";

type One = Promises["promises"][number];

function Standing({ one }: { one: One }) {
  if (!one.promised) return <Status tone="idle" word="Not in force yet" />;
  return one.broken > 0 ? (
    <Status tone="failed" word={one.broken === 1 ? "Broken once" : `Broken ${number(one.broken)} times`} />
  ) : (
    <Status tone="done" word="Kept" />
  );
}

function PromisePanel({ one }: { one: One }) {
  return (
    <Panel title={`Promise ${one.id}`} aside={<Standing one={one} />}>
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
  const { promises, problem, retry } = useLivePromises();
  const forbidden = problem?.status === 403;
  const all = promises?.promises ?? [];
  const broken = all.reduce((sum, one) => sum + one.broken, 0);
  return (
    <PageFrame crumbs={[{ label: "Supervision", to: "/operator" }, { label: "Promises" }]}>
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-head-1">Promises</h1>
        {promises && (
          <p className="text-fg-3">
            <span className={broken > 0 ? "text-failed" : ""}>
              {broken === 0 ? "none broken" : `${number(broken)} broken`}
            </span>{" "}
            since this gateway started <Ago at={promises.since} />
          </p>
        )}
        {/* In the heading's line, so that nothing below moves when it comes and goes. */}
        <span role="status">
          {promises && problem && !forbidden && (
            <Status tone="warning" word="Not live, trying again" title={problem.title} />
          )}
        </span>
      </header>
      {!promises && !problem && <Loading what="the promises" rows={8} />}
      {forbidden && (
        <Empty title="The promises are for operators">
          Your account lacks the operator grant. The person who runs this Roost can give it in the
          configuration or on the command line.
        </Empty>
      )}
      {problem && !forbidden && !promises && <Failed error={problem} retry={retry} className="" />}
      {promises && !forbidden && (
        <div className="grid gap-4 lg:grid-cols-2">
          {all.map((one) => (
            <PromisePanel key={one.id} one={one} />
          ))}
        </div>
      )}
    </PageFrame>
  );
}
