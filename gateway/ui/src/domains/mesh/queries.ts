import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { MESH } from "~/api/mesh";
import type { MeshDevices, MeshNetwork, NewMeshNetwork } from "~/api/types";

/** Of one network: another one's devices are not shown as its own. */
export const devicesQuery = (network: string) =>
  queryOptions({
    queryKey: keys.meshDevices(network),
    queryFn: ({ signal }) => api.get<MeshDevices>(`${MESH}/devices`, { signal }),
  });

export const connect = (body: NewMeshNetwork) => api.post<MeshNetwork>(MESH, body);
export const disconnect = () => api.delete<void>(MESH);
