import { useQuery } from "@tanstack/react-query";
import { connectionsOf } from "~/api/apps";
import type { Door } from "~/api/doors";
import { appName } from "~/ui/app-name";
import { visible } from "~/ui/visible";

/** Where it is sent when somebody approves it; the gateway sends it nowhere else. */
export function Destination({ door }: { door: Door }) {
  const connections = useQuery(connectionsOf(door.agent_id));
  const [app = ""] = door.action.split(".");
  // A branch goes with the credential of the code host, and packages need none: neither is a connection of the agent.
  const own = !door.branch && !door.packages;
  const cut = own && connections.data && !connections.data.some(({ provider }) => provider === app);
  return (
    <span className="block min-h-5 text-small text-fg-2">
      {door.packages ? "Would be fetched from" : "Would be sent to"}{" "}
      <bdi className="font-mono break-all text-fg">{visible(door.address)}</bdi>
      {cut && (
        <span className="block text-waiting">
          The agent is not connected to <bdi>{appName(app)}</bdi> any more. If you approve the request, it
          fails.
        </span>
      )}
    </span>
  );
}
