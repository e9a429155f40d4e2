import { useQuery } from "@tanstack/react-query";
import { connectionsOf } from "~/api/apps";
import type { Door } from "~/api/doors";
import { appName } from "~/ui/app-name";
import { visible } from "~/ui/visible";
import { destination } from "./words";

/** Where it would be sent, by the agent's connection as it is now: the request itself does not say it. */
export function Destination({ door }: { door: Door }) {
  const found = useQuery(connectionsOf(door.agent_id));
  const [app = ""] = door.action.split(".");
  const to = found.data && destination(found.data, app);
  return (
    <span className="block min-h-5 text-small text-fg-2">
      {found.isError && !found.data && "Where it would be sent could not be asked."}
      {to && (
        <>
          Would be sent to <bdi className="font-mono break-all text-fg">{visible(to)}</bdi>
        </>
      )}
      {found.data && !to && (
        <span className="text-waiting">
          The agent is not connected to <bdi>{appName(app)}</bdi> any more: approved, it would fail.
        </span>
      )}
    </span>
  );
}
