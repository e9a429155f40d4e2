import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { MeshSetting } from "./types";

export const MESH = "/api/fleet/meshvpn";

/** The mesh network of the workspace, where one is connected. */
export const meshQuery = queryOptions({
  queryKey: keys.meshSetting,
  queryFn: ({ signal }) => api.get<MeshSetting>(MESH, { signal }),
});

export const MESHES = { tailscale: "Tailscale", headscale: "Headscale" } as const;
