import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { AppConnection } from "~/api/types";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { end } from "./queries";
import { appName } from "./words";

interface Props {
  one: AppConnection;
  agent: string | undefined;
  onClose: () => void;
}

export function DisconnectDialog({ one, agent, onClose }: Props) {
  const client = useQueryClient();
  const app = isolate(appName(one.provider));
  const run = async () => {
    await end(one.id);
    // Known at once; the row itself stays, struck through, until the pointer and the focus have left.
    client.setQueriesData<AppConnection[]>({ queryKey: keys.connections }, (list) =>
      list?.filter(({ id }) => id !== one.id),
    );
    await client.invalidateQueries({ queryKey: keys.connections });
  };
  return (
    <Confirm
      open
      onClose={onClose}
      title={agent ? `Disconnect ${app} from ${isolate(agent.slice(0, 80))}?` : `Disconnect ${app}?`}
      consequence={
        one.auth_type === "token"
          ? "Roost deletes its secret, and the agent can no longer use it. The secret stays valid on the other side until a person revokes it there."
          : "Roost deletes its token, and revokes it at the app if the app supports that. The agent can no longer use it. To connect it again, a person signs in again."
      }
      action="Disconnect"
      run={run}
    />
  );
}
