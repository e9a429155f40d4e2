import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Me, Member, Role } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { Confirm } from "~/ui/dialog";
import { useHeld } from "~/ui/held";
import { HeldNote } from "~/ui/held-note";
import { inputClass } from "~/ui/input-class";
import { isolate } from "~/ui/isolate";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { membersQuery, removeMember, setRole } from "./queries";
import { givable, ROLES } from "./words";

interface RowProps {
  one: Member;
  /** Removed meanwhile; stays, struck through, while somebody reads. */
  gone: boolean;
  /** What was chosen and is on its way. */
  chosen: Role | undefined;
  own: Role;
  manages: boolean;
  busy: boolean;
  onRole: (role: Role) => void;
  onRemove: () => void;
}

function Row({ one, gone, chosen, own, manages, busy, onRole, onRemove }: RowProps) {
  const name = one.user.name || one.user.email;
  const reachable = !gone && manages && ROLES.indexOf(one.role) <= ROLES.indexOf(own);
  return (
    <tr className={cx(table.row, gone && "line-through opacity-60")}>
      <th scope="row" className={cx(table.cell, "font-normal")}>
        <span className="line-clamp-2 max-w-[40ch] min-w-20">
          <bdi>{name}</bdi>
          {one.you && <span className="text-fg-3"> (you)</span>}
        </span>
        <span className="line-clamp-1 max-w-[40ch] text-small text-fg-3">
          <bdi>{one.user.email}</bdi>
        </span>
        <span className="text-small text-fg-3 sm:hidden">
          joined <Ago at={one.joined_at} />
        </span>
      </th>
      <td className={cx(table.cell, "max-sm:px-0")}>
        {reachable ? (
          <select
            aria-label={`Role of ${name}`}
            className={`${inputClass} h-8 max-w-32 min-w-24`}
            value={chosen ?? one.role}
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
      <td className={cx(table.cell, "max-sm:hidden")}>
        <Ago at={one.joined_at} />
      </td>
      <td className={cx(table.cell, "text-right max-sm:pl-2")}>
        {!gone && (reachable || one.you) && (
          <Button onClick={onRemove} aria-label={one.you ? "Leave the workspace" : `Remove ${name}`}>
            {one.you ? "Leave" : "Remove"}
          </Button>
        )}
      </td>
    </tr>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        {["Name", "Role", "Joined"].map((head) => (
          <th
            key={head}
            scope="col"
            className={cx(table.head, head === "Joined" && "max-sm:hidden", head === "Role" && "max-sm:px-0")}
          >
            {head}
          </th>
        ))}
        <th scope="col" className={table.head}>
          <span className="sr-only">Actions</span>
        </th>
      </tr>
    </thead>
  );
}

/** Who belongs to the workspace; whoever manages people changes roles and removes. */
export function Members({ me, manages }: { me: Me; manages: boolean }) {
  const client = useQueryClient();
  const workspace = me.workspace.id;
  const members = useQuery(membersQuery(workspace));
  const [leaving, setLeaving] = useState<Member>();
  const listed = useMemo(
    () => (members.data ?? []).map((member) => ({ id: member.user.id, member })),
    [members.data],
  );
  const { rows, waiting, held, release, bind } = useHeld(listed);
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
      {members.isError && !members.data && (
        <Failed error={members.error} retry={() => void members.refetch()} />
      )}
      <Stale query={members} className="m-4" />
      {change.isError && <ProblemNote problem={asProblem(change.error)} className="m-4" />}
      {members.data && (
        <>
          <div className="border-b border-line px-4 py-1.5">
            <HeldNote
              held={held}
              waiting={waiting}
              release={release}
              count={listed.length}
              what={listed.length === 1 ? "person" : "people"}
            />
          </div>
          {/* Scrolled by keyboard where it is wider than the screen.
              oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <div className={table.wrap} role="region" aria-label="Table of members" tabIndex={0} {...bind}>
            <table className={table.root}>
              <Head />
              <tbody>
                {rows.map(({ item: { id, member }, gone }) => (
                  <Row
                    key={id}
                    one={member}
                    gone={gone}
                    chosen={
                      change.isPending && change.variables.user === id ? change.variables.role : undefined
                    }
                    own={me.role}
                    manages={manages}
                    busy={change.isPending && change.variables.user === id}
                    onRole={(role) => change.mutate({ user: id, role })}
                    onRemove={() => setLeaving(member)}
                  />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {leaving && (
        <Confirm
          open
          onClose={() => setLeaving(undefined)}
          title={
            leaving.you
              ? `Leave ${isolate(me.workspace.name)}?`
              : `Remove ${isolate((leaving.user.name || leaving.user.email).slice(0, 80))}?`
          }
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
