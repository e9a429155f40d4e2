// Whose a sandbox is: an agent, a team or a mission, each with its own page.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { clawsQuery } from "~/api/claws";
import type { Owner } from "~/api/sandboxes";
import { teamsQuery } from "~/api/teams";

interface Props {
  owner: Owner;
  /** The tab of the page, when it is not the first. */
  part?: "sandbox" | "files";
  /** Which snapshots the tab with the files shows. */
  files?: { snapshot?: string; before?: string };
  className?: string;
  children: ReactNode;
}

/** Leads to the agent, the team or the mission. */
export function OwnerLink({ owner: { kind, id }, part, files, className, children }: Props) {
  const own = { params: { id }, className, children };
  if (kind === "mission") return <Link to="/missions/$id" {...own} />;
  return kind === "team" ? (
    <Link to="/teams/$id" search={{ ...(part && { tab: part }), ...files }} {...own} />
  ) : (
    <Link to="/claws/$id" search={{ ...(part && { app: part }), ...files }} {...own} />
  );
}

interface Known {
  owner: Owner;
  name: string;
}

/** Finds the agent or the team with an id. One that is deleted is not found. */
export function useOwners(): (id: string) => Known | undefined {
  const agents = useQuery(clawsQuery).data;
  const teams = useQuery(teamsQuery).data;
  return useMemo(() => {
    const all = new Map<string, Known>();
    for (const { id, name } of teams ?? []) all.set(id, { owner: { kind: "team", id }, name });
    for (const { id, name } of agents ?? []) all.set(id, { owner: { kind: "claw", id }, name });
    return (id) => all.get(id);
  }, [agents, teams]);
}
