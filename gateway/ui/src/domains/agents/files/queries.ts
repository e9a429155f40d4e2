import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, url } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";
import { MOST_SHOWN } from "./content";

const FILE = "/api/claws/{id}/snapshots/{snapshot}/file";

/** The snapshots of an agent's files, newest first. */
export const historyQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: keys.snapshotHistory(id),
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/claws/{id}/snapshots", {
        path: { id },
        query: { limit: 100, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });

/** A folder of a snapshot, which never changes. */
export const folderQuery = (id: string, snapshot: string, path: string) =>
  queryOptions({
    queryKey: keys.folder(id, snapshot, path),
    queryFn: ({ signal }) =>
      api.get("/api/claws/{id}/snapshots/{snapshot}/files", {
        path: { id, snapshot },
        query: { path },
        signal,
      }),
    staleTime: Infinity,
  });

/** The bytes of a file, or null when it has more than the page shows. The gateway's audit log names each reader. */
export const contentQuery = (id: string, snapshot: string, path: string) =>
  queryOptions({
    queryKey: keys.file(id, snapshot, path),
    queryFn: async ({ signal }) => {
      const options = { path: { id, snapshot }, query: { path }, signal };
      return (await api.bytes(FILE, MOST_SHOWN, options)) ?? null;
    },
    staleTime: Infinity,
    // Files of some megabytes do not stay in memory after a person has left them.
    gcTime: 60_000,
  });

/** Where the browser downloads a file from by itself, however large it is. */
export const fileAddress = (id: string, snapshot: string, path: string): string =>
  url(FILE, { path }, { id, snapshot });

/** Puts files into the sandbox, as a tar archive. */
export const putFiles = async (
  id: string,
  { folder, replace }: { folder: string; replace: boolean },
  archive: Blob,
  options: { progress: (percent: number) => void; signal: AbortSignal },
): Promise<components["schemas"]["PutFiles"]> => {
  const query = new URLSearchParams({ folder, replace: String(replace) });
  const { send } = await import("~/ui/upload/upload-choice");
  return send(`/api/claws/${encodeURIComponent(id)}/sandbox/files?${query.toString()}`, archive, options);
};

/** What differs from one snapshot to another. */
export const changesQuery = (id: string, before: string, after: string) =>
  queryOptions({
    queryKey: keys.changes(id, before, after),
    queryFn: ({ signal }) =>
      api.get("/api/claws/{id}/snapshots/{snapshot}/diff", {
        path: { id, snapshot: after },
        query: { before },
        signal,
      }),
    staleTime: Infinity,
  });
