import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { MeshDevices, MeshNetwork, MeshSetting, NewMeshNetwork } from "~/api/types";

const PATH = "/api/fleet/meshvpn";

export const settingQuery = queryOptions({
  queryKey: keys.meshSetting,
  queryFn: ({ signal }) => api.get<MeshSetting>(PATH, { signal }),
});

/** Of one network: another one's devices are not shown as its own. */
export const devicesQuery = (network: string) =>
  queryOptions({
    queryKey: keys.meshDevices(network),
    queryFn: ({ signal }) => api.get<MeshDevices>(`${PATH}/devices`, { signal }),
  });

export const connect = (body: NewMeshNetwork) => api.post<MeshNetwork>(PATH, body);
export const disconnect = () => api.delete<void>(PATH);

export const NAMES = { tailscale: "Tailscale", headscale: "Headscale" } as const;
