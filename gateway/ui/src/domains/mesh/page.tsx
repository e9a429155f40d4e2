import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus, Waypoints } from "lucide-react";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { MESHES, meshQuery } from "~/api/mesh";
import type { MeshNetwork } from "~/api/types";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { MissingRight } from "~/ui/missing-right";
import { Person } from "~/ui/person";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Ago } from "~/ui/time";
import { ConnectDialog } from "./connect-dialog";
import { Devices } from "./devices";
import { disconnect } from "./queries";

const route = getRouteApi("/shell/mesh");

function About({ network }: { network: MeshNetwork }) {
  return (
    <p className="break-words text-fg-2">
      {MESHES[network.kind]} at <bdi>{network.base_url}</bdi>, connected <Ago at={network.created_at} />
      {network.created_by && (
        <>
          {" "}
          by <Person user={network.created_by} />
        </>
      )}
      . A device is a machine here when one of its addresses is the mesh address that the machine reports.
    </p>
  );
}

export function MeshPage() {
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const setting = useQuery(meshQuery);
  const manages = useMay()("nodes.manage");
  const [leaving, setLeaving] = useState(false);
  const connecting = (open: boolean) => void navigate({ search: open ? { dialog: "connect" } : {} });
  const network = setting.data?.network;
  const none = setting.data !== undefined && !network;
  const button = manages && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => connecting(true)}>
      Connect
    </Button>
  );
  return (
    <PageFrame
      crumbs={[{ label: "Integrations", to: "/connections" }, { label: "Mesh" }]}
      actions={
        network &&
        manages && (
          <>
            <Button onClick={() => connecting(true)}>Replace</Button>
            <Button onClick={() => setLeaving(true)}>Disconnect</Button>
          </>
        )
      }
    >
      <h1 className="text-head-1">Mesh</h1>
      {setting.isPending && (
        <Loading what="the mesh network" rows={3} className="rounded-panel border border-line bg-surface" />
      )}
      {setting.isError && !setting.data && (
        <Failed error={setting.error} retry={() => void setting.refetch()} className="" />
      )}
      <Stale query={setting} />
      {none && (
        <Empty
          icon={<Waypoints size={32} strokeWidth={1.5} aria-hidden />}
          title="No mesh network is connected"
          action={button}
        >
          Connect your Tailscale or Headscale with a key that may list devices, and see which of them are
          machines here.
        </Empty>
      )}
      {network && (
        <>
          <About network={network} />
          <Devices network={network.id} />
        </>
      )}
      {setting.data && !manages && <MissingRight what="connect or disconnect a mesh network" least="admin" />}
      {dialog === "connect" && manages && (
        <ConnectDialog replaces={Boolean(network)} onClose={() => connecting(false)} />
      )}
      {leaving && (
        <Confirm
          open
          onClose={() => setLeaving(false)}
          title="Disconnect the mesh network?"
          consequence="Its devices are not shown here any more, and the secret broker forgets the key. Nothing is changed in the network."
          action="Disconnect"
          run={async () => {
            await disconnect();
            await client.invalidateQueries({ queryKey: keys.mesh });
          }}
        />
      )}
    </PageFrame>
  );
}
