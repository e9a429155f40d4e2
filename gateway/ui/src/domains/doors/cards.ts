// What every card of a request needs beside the request: who looks at it, what its action is called, whose it is.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { clawsQuery } from "~/api/claws";
import type { Door } from "~/api/doors";
import { meQuery } from "~/api/me";
import { catalogueQuery } from "./queries";

export function useCards() {
  const catalogue = useQuery(catalogueQuery);
  const claws = useQuery(clawsQuery);
  const me = useQuery(meQuery);
  const actions = useMemo(
    () => new Map((catalogue.data?.items ?? []).map((one) => [one.action, one])),
    [catalogue.data],
  );
  const names = useMemo(() => new Map((claws.data ?? []).map(({ id, name }) => [id, name])), [claws.data]);
  const cardOf = (door: Door) => ({
    action: actions.get(door.action),
    agent: { id: door.agent_id, name: names.get(door.agent_id) ?? door.agent_name },
  });
  // Names and titles only; the requests stand without them.
  return { own: me.data?.user.id, cardOf, ready: !claws.isPending && !catalogue.isPending };
}
