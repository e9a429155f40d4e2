import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Me, Member, Role } from "~/api/types";
import { Button } from "~/ui/button";
import { Box } from "~/ui/choice/box";
import { useOneChange } from "~/ui/clash/one-change";
import { Confirm } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { choiceClass } from "~/ui/input-class";
import { isolate } from "~/ui/isolate";
import type { ListColumn } from "~/ui/list/list-table";
import { useLook } from "~/ui/list/look";
import { cleared } from "~/ui/list/saved";
import type { Keys } from "~/ui/list/sort";
import { SortedTable } from "~/ui/list/sorted-table";
import { Views } from "~/ui/list/views";
import { Panel } from "~/ui/panel";
import { Avatar } from "~/ui/person";
import { Failed, ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Ago } from "~/ui/time";
import { membersQuery, removeMember, setRole } from "./queries";
import { RoleDialog } from "./role-dialog";
import { fits, givable, lastOwner, ROLES } from "./words";

const route = getRouteApi("/shell/members");

interface Listed {
  id: string;
  member: Member;
}

/** The order of the gateway. */
const OWN = "joined";
const KEYS: Keys<Listed> = {
  name: ({ member }) => nameOf(member),
  role: ({ member }) => ROLES.indexOf(member.role),
  joined: ({ member }) => Date.parse(member.joined_at),
};

interface Manage {
  own: Role;
  manages: boolean;
  /** The role that was chosen for somebody and is on its way. */
  chosen: (id: string) => Role | undefined;
  onRole: (member: Member, role: Role) => void;
  /** The only Owner stays one, and stays here. */
  last: string | undefined;
  onRemove: (member: Member) => void;
}

const nameIn = (all: Member[] | undefined, id: string) => {
  const found = all?.find(({ user }) => user.id === id);
  return found ? nameOf(found) : "somebody";
};
const nameOf = ({ user }: Member) => user.name || user.email;

/** On a phone a row has the name, the address and the day. */
const HEIGHTS = { wide: 52, narrow: 80 };
const nameOfRow = ({ member }: Listed) => nameOf(member);

function columns({ own, manages, chosen, onRole, onRemove, last }: Manage): ListColumn<Listed>[] {
  const reachable = (member: Member, gone: boolean) =>
    !gone && manages && member.user.id !== last && ROLES.indexOf(member.role) <= ROLES.indexOf(own);
  return [
    {
      name: "Name",
      orders: ["name", "-name"],
      show: ({ member }) => (
        <div className="flex items-center gap-3">
          <Avatar user={member.user} className="size-8 text-small max-sm:hidden" />
          <div className="min-w-0">
            <span className="block truncate" title={nameOf(member)}>
              <bdi>{nameOf(member)}</bdi>
              {member.you && <span className="text-fg-3"> (you)</span>}
            </span>
            <span className="block truncate text-small text-fg-3" title={member.user.email}>
              <bdi>{member.user.email}</bdi>
            </span>
            <span className="block truncate text-small text-fg-3 sm:hidden">
              joined <Ago at={member.joined_at} />
            </span>
          </div>
        </div>
      ),
    },
    {
      name: "Role",
      orders: ["-role", "role"],
      look: "w-44 max-sm:w-28 max-sm:px-0",
      show: ({ id, member }, gone) =>
        reachable(member, gone) ? (
          <Box
            label="Roles"
            fills
            aria-label={`Role of ${nameOf(member)}`}
            className={`${choiceClass} max-w-36 max-sm:min-w-0`}
            value={chosen(id) ?? member.role}
            disabled={chosen(id) !== undefined}
            onChange={(role) => role !== member.role && onRole(member, role as Role)}
            options={givable(own).map((role) => ({ value: role, label: sentence(role) }))}
          />
        ) : (
          sentence(member.role)
        ),
    },
    {
      name: "Joined",
      look: "w-40 max-sm:hidden",
      orders: ["joined", "-joined"],
      show: ({ member }) => <Ago at={member.joined_at} />,
    },
    {
      name: "Actions",
      quiet: true,
      look: "w-32 max-sm:w-28",
      cell: "text-right max-sm:pl-2",
      show: ({ member }, gone) =>
        !gone &&
        (reachable(member, gone) || (member.you && member.user.id !== last)) && (
          <Button
            onClick={() => onRemove(member)}
            aria-label={member.you ? "Leave the workspace" : `Remove ${nameOf(member)}`}
          >
            {member.you ? "Leave" : "Remove"}
          </Button>
        ),
    },
  ];
}

/** Who belongs to the workspace; a person who manages people changes roles and removes members. */
export function Members({ me, manages }: { me: Me; manages: boolean }) {
  const client = useQueryClient();
  const workspace = me.workspace.id;
  const members = useQuery(membersQuery(workspace));
  const [leaving, setLeaving] = useState<Member>();
  const [asking, setAsking] = useState<{ member: Member; role: Role }>();
  const last = lastOwner(members.data ?? []);
  const { asked, look, sorting } = useLook(route, KEYS);
  const { q = "" } = asked;
  const listed = useMemo(
    () =>
      (members.data ?? [])
        .filter((member) => fits(member, q))
        .map((member) => ({ id: member.user.id, member })),
    [members.data, q],
  );
  const again = () => client.invalidateQueries({ queryKey: keys.members(workspace) });
  const change = useOneChange<Member[]>({
    now: members.data ?? [],
    read: () => client.fetchQuery({ ...membersQuery(workspace), staleTime: 0 }),
    // The own role is among them, and decides what the page offers.
    renew: () => Promise.all([again(), client.invalidateQueries({ queryKey: keys.me })]),
    key: ["role", workspace],
    what: "member",
    unversioned: true,
  });
  const give = (user: string, role: Role) =>
    change.change<Role | undefined>({
      label: `Role of ${nameIn(members.data, user)}`,
      key: user,
      of: (all) => all.find((one) => one.user.id === user)?.role,
      mine: role,
      words: (one) => (one ? sentence(one) : "not a member any more"),
      send: () => setRole(workspace, user, role),
    });
  const shown = columns({
    own: me.role,
    manages,
    chosen: (id) => (change.asked?.key === id ? (change.asked.mine as Role) : undefined),
    onRole: (member, role) => setAsking({ member, role }),
    last,
    onRemove: setLeaving,
  });
  const remove = async (member: Member) => {
    await removeMember(workspace, member.user.id);
    if (member.you) await client.resetQueries();
    else await again();
  };
  return (
    <>
      <Views list="members" filters={cleared(asked)} />
      <FilterField label="Filter by name, address or role" value={q} onChange={(text) => look({ q: text })} />
      <Panel title="People">
        {members.isPending && <Loading what="members" rows={3} />}
        {members.isError && !members.data && (
          <Failed error={members.error} retry={() => void members.refetch()} />
        )}
        <Stale query={members} className="m-4" />
        {change.error && <ProblemNote problem={asProblem(change.error)} className="m-4" />}
        {change.note && <div className="m-4">{change.note}</div>}
        {members.data && listed.length === 0 && (
          <Empty
            title="No member fits the filter"
            action={<Button onClick={() => look({ q: "" })}>Clear filter</Button>}
          />
        )}
        {members.data && listed.length > 0 && (
          <SortedTable
            bare
            opens={false}
            label="Table of members"
            what={["person", "people"]}
            columns={shown}
            rows={listed}
            keys={KEYS}
            own={OWN}
            nameOf={nameOfRow}
            chosen={q}
            sorting={sorting}
            heights={HEIGHTS}
          />
        )}
        {last === me.user.id && (
          <p className="border-t border-line px-4 py-2 text-small text-fg-2">
            You are the only Owner. You cannot leave the workspace or change your role until another member is
            an Owner.
          </p>
        )}
        {asking && (
          <RoleDialog
            name={nameOf(asking.member).slice(0, 80)}
            you={asking.member.you}
            from={asking.member.role}
            to={asking.role}
            onClose={() => setAsking(undefined)}
            onChange={() => give(asking.member.user.id, asking.role)}
          />
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
    </>
  );
}
