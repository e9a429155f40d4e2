import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import { Problem } from "~/api/problem";
import type { NewConnection, OAuthStart } from "~/api/types";

/** Of the whole workspace. */
export const connectionsQuery = queryOptions({
  queryKey: keys.connections,
  queryFn: ({ signal }) => all("/api/apps/connections", { signal }),
});

/** Where the person has to sign in. The issuer wrote it, so nothing but a web page is followed. */
export async function begin(body: OAuthStart): Promise<URL> {
  const { authorize_url } = await api.post("/api/apps/oauth/start", { body });
  const to = URL.canParse(authorize_url) ? new URL(authorize_url) : undefined;
  if (to?.protocol === "https:" || to?.protocol === "http:") return to;
  throw new Problem({
    code: "no-web-page",
    status: 0,
    title: "The sign-in service gave no web page",
    detail: "A browser cannot open its address for signing in. Nothing was connected.",
  });
}

/** With a secret that somebody has; it is answered to nobody. */
export const paste = (body: NewConnection) => api.post("/api/apps/connections", { body });

/** Where another person was faster, it is gone, which is what was wanted. */
export async function end(id: string): Promise<void> {
  try {
    await api.delete("/api/apps/connections/{id}", { path: { id } });
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error;
  }
}
