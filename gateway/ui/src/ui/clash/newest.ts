import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";

/** The newest entry of the audit log about a thing. */
export const newestQuery = (id: string) => {
  const query = { entity_id: id, limit: "1" };
  return queryOptions({
    queryKey: keys.auditLog(query),
    queryFn: async ({ signal }) =>
      (await api.get("/api/audit", { query: { entity_id: id, limit: 1 }, signal })).items[0] ?? null,
    staleTime: 0,
  });
};
