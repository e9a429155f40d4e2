import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { meQuery } from "~/api/me";
import { membersQuery } from "~/api/members";
import type { AuditEntry } from "~/api/types";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { PartMissing } from "~/ui/part-missing";
import { later } from "~/live/arriving";
import { families, who } from "~/ui/audit-words";
import { narrows, whole, type Wanted } from "./queries";

// With its calendar, which few people open.
const DayRange = later(async () => (await import("~/ui/list/time-range")).DayRange, PartMissing);

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
  const known = families.some(([family]) => family === (wanted.action ?? ""));
  const set = (name: keyof Wanted) => (event: { target: { value: string } }) =>
    onChange({ ...wanted, [name]: event.target.value });
  return (
    <section aria-label="Filter" className="flex flex-wrap items-end gap-3">
      <div className="w-44">
        <Choice label="What" value={wanted.action ?? ""} onChange={set("action")}>
          {!known && <option value={wanted.action}>{wanted.action}</option>}
          {families.map(([family, name]) => (
            <option key={family} value={family}>
              {name}
            </option>
          ))}
        </Choice>
      </div>
      <div className="w-44">
        <Choice label="Who" value={wanted.actor ?? ""} onChange={set("actor")}>
          <option value="">Everybody</option>
          {[...people].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
      </div>
      <Suspense fallback={<span className="h-8 w-28" />}>
        <DayRange
          label="Time"
          from={wanted.from}
          until={wanted.until}
          onChange={(days) => onChange({ ...wanted, ...days })}
        />
      </Suspense>
      <div className="w-36">
        <Choice label="Order" value={wanted.sort ?? ""} onChange={set("sort")}>
          <option value="">Newest first</option>
          <option value="at">Oldest first</option>
        </Choice>
      </div>
      {wanted.thing && <Button onClick={() => onChange({ ...wanted, thing: "" })}>Show all items</Button>}
      {narrows(wanted) && <Button onClick={() => onChange(whole(wanted))}>Clear filter</Button>}
    </section>
  );
}
