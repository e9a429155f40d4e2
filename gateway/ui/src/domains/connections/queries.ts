import { queryOptions } from "@tanstack/react-query";
import { CONNECTIONS } from "~/api/apps";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import { Problem } from "~/api/problem";
import type { AppConnection, NewConnection, OAuthStart, OAuthStarted } from "~/api/types";

/** Of the whole workspace. */
export const connectionsQuery = queryOptions({
  queryKey: keys.connections,
  queryFn: ({ signal }) => all<AppConnection>(CONNECTIONS, {}, signal),
});

/** Where the person has to sign in. The issuer wrote it, so nothing but a web page is followed. */
export async function begin(body: OAuthStart): Promise<URL> {
  const { authorize_url } = await api.post<OAuthStarted>("/api/apps/oauth/start", body);
  const to = URL.canParse(authorize_url) ? new URL(authorize_url) : undefined;
  if (to?.protocol === "https:" || to?.protocol === "http:") return to;
  throw new Problem({
    code: "no-web-page",
    status: 0,
    title: "The sign-in service named no web page",
    detail: "Its address for signing in is not one that a browser can open. Nothing was connected.",
  });
}

/** With a secret that somebody has; it is answered to nobody. */
export const paste = (body: NewConnection) => api.post<AppConnection>(CONNECTIONS, body);

export const disconnect = (id: string) => api.delete<void>(`${CONNECTIONS}/${encodeURIComponent(id)}`);
