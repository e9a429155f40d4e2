import { useQuery } from "@tanstack/react-query";
import { meQuery } from "./me";

export type Verb =
  | "workspace.change"
  | "workspace.delete"
  | "audit.read"
  | "members.manage"
  | "apps.connect"
  | "apps.read"
  | "doors.read"
  | "doors.resolve"
  | "claws.write"
  | "claws.purge"
  | "sandboxes.use"
  | "nodes.manage"
  | "placement.set"
  | "repos.sync"
  | "repos.manage"
  | "tree.read"
  | "skills.manage"
  | "templates.manage"
  | "teams.manage"
  | "missions.manage"
  | "missions.read"
  | "routines.manage"
  | "runs.start"
  | "runs.push"
  | "models.manage";

/** Whether the signed-in person's role allows something. What it does not allow is not offered. */
export function useMay(): (verb: Verb) => boolean {
  const me = useQuery(meQuery);
  return (verb) => me.data?.permissions.includes(verb) === true;
}
