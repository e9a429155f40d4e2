// Spend and use over time.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ceilingsQuery } from "~/api/models";
import { quotaQuery } from "~/api/quota";
import type { Use } from "~/api/types";
import { number } from "~/ui/bytes";
import { Columns, Spark } from "~/ui/chart/lazy";
import { cx, textLink } from "~/ui/class";
import { money } from "~/ui/run-state";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { useNow } from "~/ui/time";
import { Nothing, SecondSection, Section, Unloaded } from "./part";
import { newestEnd, recentQuery, spentQuery, type Read } from "./queries";
import { DAYS, daysOf, totalOf, type Day } from "./usage";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const tokens = (value: number) => compact.format(value);
/** Sums of many runs are read in cents; small ones keep the digits that say something. */
const sum = (microusd: number) => (microusd >= 10_000 ? `$${(microusd / 1e6).toFixed(2)}` : money(microusd));

const MEASURES = {
  cost: { word: "Cost", value: (day: Day) => day.cost, format: sum },
  tokens: { word: "Tokens", value: (day: Day) => day.tokens, format: tokens },
  runs: {
    word: "Runs",
    value: (day: Day) => day.runs,
    format: (value: number) => number(value, Number.isInteger(value) ? 0 : 1),
  },
} as const;
type Measure = keyof typeof MEASURES;

const says = (day: Day) =>
  `${sum(day.cost)}, ${tokens(day.tokens)} tokens, ${day.runs} ${day.runs === 1 ? "run" : "runs"}${
    day.bad > 0 ? `, ${day.bad} failed or rejected` : ""
  }`;

interface FigureProps {
  name: string;
  value: string;
  days: number[];
  note?: string | undefined;
}

function Figure({ name, value, days, note }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-small text-fg-3">{name}</dt>
      <dd className="text-figure">{value}</dd>
      <dd>
        <Spark days={days} />
      </dd>
      {note && <dd className="text-small text-fg-3">{note}</dd>}
    </div>
  );
}

/** How much of a bound is taken. */
function Bound({ name, used, limit, text }: { name: string; used: number; limit: number; text: string }) {
  const part = limit === 0 ? 100 : Math.min(100, (used / limit) * 100);
  return (
    <div>
      <p className="flex justify-between gap-3">
        <span className="text-fg-2">{name}</span>
        <span className="tabular-nums">{text}</span>
      </p>
      <div aria-hidden className="mt-1 h-1.5 overflow-hidden rounded-full bg-line">
        <div
          className={cx(
            "h-full rounded-full",
            part >= 100 ? "bg-failed" : part >= 80 ? "bg-waiting" : "bg-accent",
          )}
          style={{ width: `${part}%` }}
        />
      </div>
    </div>
  );
}

function UseOf({ name, use }: { name: string; use: Use }) {
  if (use.limit === null || use.limit === undefined)
    return (
      <p className="flex justify-between gap-3">
        <span className="text-fg-2">{name}</span>
        <span className="tabular-nums">{number(use.used)}, no limit</span>
      </p>
    );
  return (
    <Bound
      name={name}
      used={use.used}
      limit={use.limit}
      text={`${number(use.used)} of ${number(use.limit)}`}
    />
  );
}

function Found({ spent }: { spent: Read }) {
  // A day begins once in a day; the clock of the page moves each second.
  const hour = Math.floor(useNow() / 3_600_000) * 3_600_000;
  const days = useMemo(() => daysOf(spent.runs, spent.cut, hour + 3_599_999), [spent, hour]);
  const total = useMemo(() => totalOf(days, spent.runs), [days, spent.runs]);
  const [chosen, setChosen] = useState<Measure>();
  const ceilings = useQuery(ceilingsQuery);
  // A workspace whose models have no price would see an empty chart of costs.
  const measure = chosen ?? (total.cost > 0 ? "cost" : "runs");
  const { word, value, format } = MEASURES[measure];
  const ceiling = ceilings.data?.month_ceiling_microusd;
  if (total.runs === 0) return <Nothing>No run began in the last {DAYS} days.</Nothing>;
  return (
    <div className="flex flex-col gap-4 p-4">
      <dl className="grid grid-cols-3 gap-4">
        <Figure name="Cost" value={sum(total.cost)} days={days.map(({ cost }) => cost)} />
        <Figure name="Tokens" value={tokens(total.tokens)} days={days.map((day) => day.tokens)} />
        <Figure
          name="Runs"
          value={number(total.runs)}
          days={days.map(({ runs }) => runs)}
          note={total.bad > 0 ? `${total.bad} failed or rejected` : undefined}
        />
      </dl>
      <div>
        <Segments
          label="What the chart shows"
          value={measure}
          options={(Object.keys(MEASURES) as Measure[]).map((one) => [one, MEASURES[one].word] as const)}
          onChange={setChosen}
        />
      </div>
      <Columns
        label={`${word} of each of the last ${DAYS} days`}
        days={days.map((day) => ({
          at: day.at,
          value: value(day),
          known: day.known,
          ...(measure === "runs" && { part: day.bad }),
          says: day.known ? says(day) : "not known, too many runs",
        }))}
        format={format}
        rest={
          spent.cut
            ? `Only the newest ${number(spent.runs.length)} runs are counted. Older days are not known.`
            : "Each run counts on the day when it began."
        }
      />
      {total.unpriced > 0 && (
        <p className="text-small text-fg-2">
          {total.unpriced} {total.unpriced === 1 ? "run counts" : "runs count"} as $0, because the model has
          no price.{" "}
          <Link to="/settings/models" className={textLink}>
            Set prices
          </Link>
        </p>
      )}
      {ceiling != null && (
        <Bound
          name={`Spending limit, ${DAYS} days`}
          used={total.cost}
          limit={ceiling}
          text={`${sum(total.cost)} of ${sum(ceiling)}`}
        />
      )}
    </div>
  );
}

export function Spend() {
  const recent = useQuery(recentQuery);
  const spent = useQuery({ ...spentQuery(newestEnd(recent.data ?? [])), enabled: !recent.isPending });
  const quota = useQuery(quotaQuery);
  return (
    <>
      <SecondSection
        id="spend"
        summary={`Last ${DAYS} days`}
        title="Spend and use"
        aside={
          <>
            Last {DAYS} days,{" "}
            <Link to="/quotas" className={textLink}>
              compared
            </Link>
          </>
        }
      >
        {spent.isPending && <Loading what="spend and use" rows={6} />}
        <Unloaded what="Spend and use" query={spent} />
        {spent.data && <Found spent={spent.data} />}
      </SecondSection>
      <Section
        title="Plan"
        aside={
          <Link to="/quotas" className={textLink}>
            Quotas
          </Link>
        }
      >
        {quota.isPending && <Loading what="the plan" rows={2} />}
        <Unloaded what="The plan's use" query={quota} />
        {quota.data && (
          <div className="flex flex-col gap-3 p-4">
            <UseOf name="Agents" use={quota.data.agents} />
            <UseOf name="Running sandboxes" use={quota.data.live_containers} />
          </div>
        )}
      </Section>
    </>
  );
}
