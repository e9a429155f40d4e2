import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";

/** The mesh network of the workspace, where one is connected. */
export const meshQuery = queryOptions({
  queryKey: keys.meshSetting,
  queryFn: ({ signal }) => api.get("/api/fleet/meshvpn", { signal }),
});

export const MESHES = { tailscale: "Tailscale", headscale: "Headscale" } as const;
