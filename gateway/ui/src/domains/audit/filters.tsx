import { useQuery } from "@tanstack/react-query";
import { meQuery } from "~/api/me";
import { membersQuery } from "~/api/members";
import type { AuditEntry } from "~/api/types";
import { Button } from "~/ui/button";
import { Choice, Field } from "~/ui/field";
import type { Wanted } from "./queries";
import { families, who } from "~/ui/audit-words";

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
  const some = Object.values(wanted).some(Boolean);
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
      <Field label="From" type="date" max={wanted.until} value={wanted.from ?? ""} onChange={set("from")} />
      <Field label="Until" type="date" min={wanted.from} value={wanted.until ?? ""} onChange={set("until")} />
      {wanted.thing && (
        <Button onClick={() => onChange({ ...wanted, thing: "" })}>Not only this thing</Button>
      )}
      {some && <Button onClick={() => onChange({})}>Clear filter</Button>}
    </section>
  );
}
