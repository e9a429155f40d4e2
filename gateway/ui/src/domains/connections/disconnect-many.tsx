// Several apps are disconnected at once.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { AppConnection } from "~/api/types";
import { renew } from "~/live/renew";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { end } from "./queries";
import { appName } from "./words";

const CONNECTIONS = ["connection", "connections"] as const;

const TOKENS = "Roost deletes their tokens, and revokes each at its app if the app supports that.";
const SECRETS =
  "Roost deletes their secrets. A secret stays valid on the other side until a person revokes it there.";

/** What is deleted depends on how each was connected. */
function lead(connections: AppConnection[]): string {
  const typed = connections.filter(({ auth_type }) => auth_type === "token").length;
  const lost = "The agents can no longer use these apps.";
  if (typed === 0) return `${TOKENS} ${lost}`;
  if (typed === connections.length) return `${SECRETS} ${lost}`;
  return `${TOKENS} A secret that was typed in stays valid on the other side until a person revokes it there. ${lost}`;
}

interface Props {
  connections: AppConnection[];
  agentOf: (one: AppConnection) => string;
  onClose: () => void;
}

/** Names each app with its agent before anything is disconnected. */
export function DisconnectMany({ connections, agentOf, onClose }: Props) {
  const client = useQueryClient();
  const count = countOf(connections.length, CONNECTIONS);
  return (
    <BulkDialog
      title={`Disconnect ${count}?`}
      lead={lead(connections)}
      targets={connections}
      nameOf={(one) => (
        <>
          <bdi className="font-[550]">{appName(one.provider)}</bdi> of <bdi>{agentOf(one)}</bdi>
        </>
      )}
      what={CONNECTIONS}
      action={`Disconnect ${count}`}
      look="danger"
      done="Disconnected"
      act={({ id }) => end(id)}
      onClose={() => {
        void renew(client, { queryKey: keys.connections });
        onClose();
      }}
    />
  );
}
