import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { meQuery } from "~/api/me";
import { membersQuery, ROLES } from "~/api/members";
import type { Role } from "~/api/types";
import { isolate } from "./isolate";
import { sentence } from "./sentence";

const list = new Intl.ListFormat("en", { type: "disjunction" });
const MANY = 3;

/** The people who have a role or a stronger one, as words: `Ada or Grace`. */
function useHolders(least: Role): string {
  const me = useQuery(meQuery);
  const members = useQuery({ ...membersQuery(me.data?.workspace.id ?? ""), enabled: me.data !== undefined });
  const names = (members.data ?? [])
    .filter((one) => ROLES.indexOf(one.role) >= ROLES.indexOf(least))
    .map((one) => isolate((one.user.name || one.user.email).slice(0, 60)));
  if (names.length === 0) return least === "owner" ? "an Owner" : `an ${sentence(least)} or Owner`;
  const others = names.length - MANY;
  return list.format(others > 0 ? [...names.slice(0, MANY), `${others} others`] : names);
}

interface Props {
  /** What the right is for, as in "You may not …". */
  what: string;
  /** The weakest role that has it. */
  least: Role;
  children?: ReactNode;
}

/** Says which right is missing, which role has it, and who in the workspace can help. */
export function MissingRight({ what, least, children }: Props) {
  const me = useQuery(meQuery);
  const holders = useHolders(least);
  return (
    <div className="flex gap-2.5 text-fg-2">
      <Lock size={15} aria-hidden className="mt-0.5 shrink-0 text-fg-3" />
      <p className="min-w-0">
        You may not {what}: that needs the role {sentence(least)}
        {least !== "owner" && " or a stronger one"}
        {me.data && `, and yours is ${sentence(me.data.role)}`}. Ask {holders}.{children}
      </p>
    </div>
  );
}
