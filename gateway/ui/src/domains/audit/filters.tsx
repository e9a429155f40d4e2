import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { meQuery } from "~/api/me";
import { membersQuery } from "~/api/members";
import type { AuditEntry } from "~/api/types";
import { Button } from "~/ui/button";
import { named } from "~/ui/list/named";
import { Select } from "~/ui/list/select";
import { PartMissing } from "~/ui/part-missing";
import { later } from "~/live/arriving";
import { families, who } from "~/ui/audit-words";
import { narrows, whole, type Wanted } from "./queries";

// With its calendar, which few people open.
const DayRange = later(async () => (await import("~/ui/list/time-range")).DayRange, PartMissing);

const ORDERS = [
  { value: "", label: "Newest first" },
  { value: "at", label: "Oldest first" },
];

interface Props {
  wanted: Wanted;
  /** What is on screen: its people are offered beside the members, also those who have left. */
  shown: AuditEntry[];
  onChange: (wanted: Wanted) => void;
}

/** Narrows the log; all of it stands in the address. */
export function Filters({ wanted, shown, onChange }: Props) {
  const me = useQuery(meQuery);
  const members = useQuery({ ...membersQuery(me.data?.workspace.id ?? ""), enabled: me.data !== undefined });
  const people = new Map([
    ...(members.data ?? []).map(({ user }): [string, string] => [user.id, user.name || user.email]),
    ...shown.map((entry): [string, string] => [entry.actor, who(entry)]),
  ]);
  if (wanted.actor && !people.has(wanted.actor)) people.set(wanted.actor, "The chosen person");
  const action = wanted.action ?? "";
  const actions = families.map(([value, label]) => ({ value, label }));
  if (!actions.some(({ value }) => value === action)) actions.push({ value: action, label: action });
  const set = (name: keyof Wanted) => (value: string) => onChange({ ...wanted, [name]: value });
  return (
    <section aria-label="Filter" className="flex flex-wrap items-center gap-2">
      <Select label="What" value={action} options={actions} onChange={set("action")} />
      <Select
        label="Who"
        value={wanted.actor ?? ""}
        options={named(people, "Everybody")}
        onChange={set("actor")}
      />
      <Suspense fallback={<span className="h-7 w-28" />}>
        <DayRange
          label="Time"
          from={wanted.from}
          until={wanted.until}
          onChange={(days) => onChange({ ...wanted, ...days })}
        />
      </Suspense>
      <Select label="Order" value={wanted.sort ?? ""} options={ORDERS} onChange={set("sort")} />
      {wanted.thing && <Button onClick={() => onChange({ ...wanted, thing: "" })}>Show all items</Button>}
      {narrows(wanted) && <Button onClick={() => onChange(whole(wanted))}>Clear filter</Button>}
    </section>
  );
}
