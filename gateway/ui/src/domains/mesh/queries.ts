import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { NewMeshNetwork } from "~/api/types";

/** Of one network: another one's devices are not shown as its own. */
export const devicesQuery = (network: string) =>
  queryOptions({
    queryKey: keys.meshDevices(network),
    queryFn: ({ signal }) => api.get("/api/fleet/meshvpn/devices", { signal }),
  });

export const connect = (body: NewMeshNetwork) => api.post("/api/fleet/meshvpn", { body });
export const disconnect = () => api.delete("/api/fleet/meshvpn");
