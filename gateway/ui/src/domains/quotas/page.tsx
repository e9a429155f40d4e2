import { useQuery } from "@tanstack/react-query";
import { quotaQuery } from "~/api/quota";
import type { Use } from "~/api/types";
import { number } from "~/ui/bytes";
import { Help } from "~/ui/help";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { cx } from "~/ui/class";
import { UsePanel } from "./use-panel";

function QuotaRow({ name, use, atLimit }: { name: string; use: Use; atLimit: string }) {
  const limited = use.limit !== null && use.limit !== undefined;
  const part = limited ? (use.limit === 0 ? 100 : (use.used / (use.limit ?? 1)) * 100) : 0;
  const full = limited && use.used >= (use.limit ?? 0);
  return (
    <div className="border-b border-line px-4 py-4 last:border-0">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h3 className="text-head-3">{name}</h3>
        <p>
          <span className="text-figure">{number(use.used)}</span>{" "}
          <span className="text-fg-3">{limited ? `of ${number(use.limit)}` : "no limit"}</span>
        </p>
      </div>
      {limited && (
        <div aria-hidden className="mt-2 h-1.5 overflow-hidden rounded-full bg-line">
          <div
            className={cx(
              "h-full rounded-full",
              full ? "bg-failed" : part >= 80 ? "bg-waiting" : "bg-accent",
            )}
            style={{ width: `${Math.min(100, part)}%` }}
          />
        </div>
      )}
      <p className="mt-2 flex flex-wrap gap-x-3 text-small text-fg-3">
        {full && <Status tone="failed" word="At the limit" />}
        {!full && part >= 80 && <Status tone="warning" word="Nearly at the limit" />}
        {limited && <span>{atLimit}</span>}
      </p>
    </div>
  );
}

export function QuotasPage() {
  const quota = useQuery(quotaQuery);
  return (
    <PageFrame wide crumbs={[{ label: "Quotas" }]}>
      <div className="flex items-center gap-1">
        <h1 className="text-head-1">Quotas</h1>
        <Help word="plan" />
      </div>
      {quota.isPending && (
        <Loading what="quotas" rows={3} className="rounded-panel border border-line bg-surface" />
      )}
      {quota.isError && !quota.data && (
        <Failed error={quota.error} retry={() => void quota.refetch()} className="" />
      )}
      <Stale query={quota} className="max-w-2xl" />
      {quota.data && (
        <Panel title="Plan" aside={quota.data.plan}>
          <div className="grid sm:grid-cols-2 sm:divide-x sm:divide-line">
            <QuotaRow
              name="Agents"
              use={quota.data.agents}
              atLimit="At the limit, Roost creates no further agent until you delete one."
            />
            <QuotaRow
              name="Running sandboxes"
              use={quota.data.live_containers}
              atLimit="At the limit, Roost starts no further sandbox until you destroy one."
            />
          </div>
        </Panel>
      )}
      {/* Below what has its size already, so that it never moves. */}
      {!quota.isPending && <UsePanel />}
    </PageFrame>
  );
}
