import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Me, Member, Role } from "~/api/types";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { inputClass } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { membersQuery, removeMember, setRole } from "./queries";
import { givable, ROLES } from "./words";

interface RowProps {
  one: Member;
  own: Role;
  manages: boolean;
  busy: boolean;
  onRole: (role: Role) => void;
  onRemove: () => void;
}

function Row({ one, own, manages, busy, onRole, onRemove }: RowProps) {
  const name = one.user.name || one.user.email;
  const reachable = manages && ROLES.indexOf(one.role) <= ROLES.indexOf(own);
  return (
    <tr className={table.row}>
      <th scope="row" className={`${table.cell} font-normal`}>
        {name}
        {one.you && <span className="text-fg-3"> (you)</span>}
        <span className="block text-small text-fg-3">{one.user.email}</span>
      </th>
      <td className={table.cell}>
        {reachable ? (
          <select
            aria-label={`Role of ${name}`}
            className={`${inputClass} h-8 max-w-32`}
            value={one.role}
            disabled={busy}
            onChange={(event) => onRole(event.target.value as Role)}
          >
            {givable(own).map((role) => (
              <option key={role} value={role}>
                {sentence(role)}
              </option>
            ))}
          </select>
        ) : (
          sentence(one.role)
        )}
      </td>
      <td className={table.cell}>
        <Ago at={one.joined_at} />
      </td>
      <td className={`${table.cell} text-right`}>
        {(reachable || one.you) && (
          <Button onClick={onRemove} aria-label={one.you ? "Leave the workspace" : `Remove ${name}`}>
            {one.you ? "Leave" : "Remove"}
          </Button>
        )}
      </td>
    </tr>
  );
}

/** Who belongs to the workspace; whoever manages people changes roles and removes. */
export function Members({ me, manages }: { me: Me; manages: boolean }) {
  const client = useQueryClient();
  const workspace = me.workspace.id;
  const members = useQuery(membersQuery(workspace));
  const [leaving, setLeaving] = useState<Member>();
  const again = () => client.invalidateQueries({ queryKey: keys.members(workspace) });
  const change = useMutation({
    mutationFn: ({ user, role }: { user: string; role: Role }) => setRole(workspace, user, role),
    onSettled: async (_, __, { user }) => {
      await again();
      if (user === me.user.id) await client.invalidateQueries({ queryKey: keys.me });
    },
  });
  const remove = async (member: Member) => {
    await removeMember(workspace, member.user.id);
    if (member.you) await client.resetQueries();
    else await again();
  };
  return (
    <Panel title="People">
      {members.isPending && <Loading what="members" rows={3} />}
      {members.isError && <Failed error={members.error} retry={() => void members.refetch()} />}
      {change.isError && <ProblemNote problem={asProblem(change.error)} className="m-4" />}
      {members.data && (
        // Scrolled by keyboard where it is wider than the screen.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div className={table.wrap} role="region" aria-label="Table of members" tabIndex={0}>
          <table className={table.root}>
            <thead>
              <tr>
                {["Name", "Role", "Joined"].map((head) => (
                  <th key={head} scope="col" className={table.head}>
                    {head}
                  </th>
                ))}
                <th scope="col" className={table.head}>
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {members.data.map((one) => (
                <Row
                  key={one.user.id}
                  one={one}
                  own={me.role}
                  manages={manages}
                  busy={change.isPending && change.variables.user === one.user.id}
                  onRole={(role) => change.mutate({ user: one.user.id, role })}
                  onRemove={() => setLeaving(one)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {leaving && (
        <Confirm
          open
          onClose={() => setLeaving(undefined)}
          title={leaving.you ? `Leave ${me.workspace.name}?` : `Remove ${leaving.user.name}?`}
          consequence={
            leaving.you
              ? "Your tokens for this workspace end at once. To come back you need an invitation."
              : "Their open pages and their tokens for this workspace end at once. Agents that they manage stay."
          }
          action={leaving.you ? "Leave" : "Remove"}
          run={() => remove(leaving)}
        />
      )}
    </Panel>
  );
}
