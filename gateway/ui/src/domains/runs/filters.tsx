import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { meQuery } from "~/api/me";
import { membersQuery } from "~/api/members";
import { missionQuery } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import { templateQuery } from "~/api/teams";
import { IconButton } from "~/ui/button";
import { chip } from "~/ui/choice/look";
import { cx } from "~/ui/class";
import { FilterField } from "~/ui/filter-field";
import { named } from "~/ui/list/named";
import type { Filters } from "~/ui/list/saved";
import { Select } from "~/ui/list/select";
import { TimeRange } from "~/ui/list/time-range";
import { Segments } from "~/ui/segments";
import { visible } from "~/ui/visible";
import { OUTCOMES, STATES } from "./asked";
import type { Names } from "./table";

/** What the list has: the work of people, teams, single agents and missions, or also the runs that belong to something else. */
const SHOWN = [
  ["", "Work"],
  ["all", "All runs"],
] as const;

/** What another page chose. It can only be cleared here. */
function Chosen({ what, onClear, children }: { what: string; onClear: () => void; children: ReactNode }) {
  return (
    <span className={cx(chip(true), "pr-0.5")}>
      <span className="text-fg-3">{what}</span>
      <bdi className="min-w-0 truncate">{children}</bdi>
      <IconButton label={`Clear: ${what.toLowerCase()}`} className="size-6" onClick={onClear}>
        <X size={14} aria-hidden />
      </IconButton>
    </span>
  );
}

function OfMission({ id, onClear }: { id: string; onClear: () => void }) {
  const found = useQuery(missionQuery(id));
  return (
    <Chosen what="Mission" onClear={onClear}>
      {found.data ? visible(found.data.title) : "…"}
    </Chosen>
  );
}

function OfTemplate({ id, onClear }: { id: string; onClear: () => void }) {
  const found = useQuery(templateQuery(id));
  return (
    <Chosen what="Template" onClear={onClear}>
      {found.data ? visible(found.data.name) : found.isError ? "Deleted template" : "…"}
    </Chosen>
  );
}

interface Props {
  asked: Filters;
  names: Names;
  /** What is on screen: its people are offered beside the members, also those who have left. */
  runs: RunSummary[];
  onChange: (change: Filters) => void;
}

/** Narrows the list of runs. All of it is in the address. */
export function RunFilters({ asked, names, runs, onChange }: Props) {
  const me = useQuery(meQuery);
  const members = useQuery({ ...membersQuery(me.data?.workspace.id ?? ""), enabled: me.data !== undefined });
  const people = useMemo(
    () =>
      new Map([
        ...runs.flatMap(({ created_by: one }) => (one ? [[one.id, one.name || one.email] as const] : [])),
        ...(members.data ?? []).map(({ user }) => [user.id, user.name || user.email] as const),
      ]),
    [members.data, runs],
  );
  const {
    q = "",
    state = "",
    outcome = "",
    team = "",
    by = "",
    mission,
    template,
    model,
    day,
    shown = "",
  } = asked;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FilterField
        label="Filter by title"
        className="sm:max-w-64"
        value={q}
        onChange={(text) => onChange({ q: text })}
      />
      <Select label="State" value={state} options={STATES} onChange={(one) => onChange({ state: one })} />
      <Select
        label="Outcome"
        value={outcome}
        options={OUTCOMES}
        onChange={(one) => onChange({ outcome: one })}
      />
      <Select
        label="Team"
        value={team}
        options={named(names.teams)}
        onChange={(one) => onChange({ team: one })}
      />
      <Select
        label="Started by"
        value={by}
        options={named(people)}
        onChange={(one) => onChange({ by: one })}
      />
      {mission && <OfMission id={mission} onClear={() => onChange({ mission: "" })} />}
      {template && <OfTemplate id={template} onClear={() => onChange({ template: "" })} />}
      {model && (
        <Chosen what="Model" onClear={() => onChange({ model: "" })}>
          {visible(model)}
        </Chosen>
      )}
      {day ? (
        <Chosen what="Day" onClear={() => onChange({ day: "" })}>
          {day} (UTC)
        </Chosen>
      ) : (
        <TimeRange
          label="Time range"
          value={asked}
          onChange={({ when = "", from = "", until = "" }) => onChange({ when, from, until })}
        />
      )}
      <Segments
        label="Which runs"
        value={shown === "all" ? "all" : ""}
        options={SHOWN}
        onChange={(one) => onChange({ shown: one })}
      />
    </div>
  );
}
