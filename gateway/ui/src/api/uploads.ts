// Files that people upload for runs.
import { queryOptions } from "@tanstack/react-query";
import { send } from "~/ui/upload/send";
import { api } from "./client";
import type { components } from "./schema";

export type Upload = components["schemas"]["Upload"];
export type UploadBounds = components["schemas"]["UploadBounds"];

export const uploadLimitsQuery = queryOptions({
  queryKey: ["upload-limits"],
  queryFn: ({ signal }) => api.get("/api/uploads/limits", { signal }),
  staleTime: 600_000,
});

export const createUpload = (
  name: string,
  archive: Blob,
  options: { progress: (percent: number) => void; signal: AbortSignal },
): Promise<Upload> => send(`/api/uploads?${new URLSearchParams({ name }).toString()}`, archive, options);
