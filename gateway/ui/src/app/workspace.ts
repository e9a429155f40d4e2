// Going to another workspace: the sign-in's own choice, so every tab of this browser goes along.
import { useMutation, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { api } from "~/api/client";
import { tellTabs } from "~/live/tabs";

/** Reads everything anew, away from what may be a thing of the workspace that was left. */
export async function enterWorkspace(client: QueryClient, toHome: () => Promise<void>) {
  await toHome();
  await client.resetQueries();
}

export function useSwitchWorkspace() {
  const client = useQueryClient();
  const router = useRouter();
  return useMutation({
    mutationFn: (id: string) => api.put("/api/auth/workspace", { body: { workspace_id: id } }),
    onSuccess: async () => {
      tellTabs({ says: "workspace" });
      await enterWorkspace(client, () => router.navigate({ to: "/" }));
    },
  });
}
