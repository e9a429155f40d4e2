import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, url } from "~/api/client";
import { keys } from "~/api/keys";
import { addressOf, type Owner } from "~/api/sandboxes";
import type { components } from "~/api/schema";
import { MOST_SHOWN } from "./content";

/** Below this are the list of snapshots and their whole history. */
const snapshotsKey = (owner: Owner) => [...addressOf(owner).key, "snapshots"];

/** The latest snapshots of the files. */
export function snapshotsQuery(owner: Owner) {
  const { at, path } = addressOf(owner);
  return queryOptions({
    queryKey: snapshotsKey(owner),
    queryFn: ({ signal }) => api.get(`${at}/snapshots`, { path, query: { limit: 20 }, signal }),
  });
}

/** All snapshots of the files, newest first. */
export function historyQuery(owner: Owner) {
  const { at, path } = addressOf(owner);
  return infiniteQueryOptions({
    queryKey: [...snapshotsKey(owner), "history"],
    queryFn: ({ pageParam, signal }) =>
      api.get(`${at}/snapshots`, { path, query: { limit: 100, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
}

/** A folder of a snapshot, which never changes. */
export const folderQuery = (owner: Owner, snapshot: string, path: string) =>
  queryOptions({
    queryKey: keys.folder(owner.id, snapshot, path),
    queryFn: ({ signal }) =>
      api.get(`${addressOf(owner).at}/snapshots/{snapshot}/files`, {
        path: { id: owner.id, snapshot },
        query: { path },
        signal,
      }),
    staleTime: Infinity,
  });

const fileAt = (owner: Owner) => `${addressOf(owner).at}/snapshots/{snapshot}/file` as const;

/** The bytes of a file, or null when it has more than the page shows. The gateway's audit log names each reader. */
export const contentQuery = (owner: Owner, snapshot: string, path: string) =>
  queryOptions({
    queryKey: keys.file(owner.id, snapshot, path),
    queryFn: async ({ signal }) => {
      const options = { path: { id: owner.id, snapshot }, query: { path }, signal };
      return (await api.bytes(fileAt(owner), MOST_SHOWN, options)) ?? null;
    },
    staleTime: Infinity,
    // Files of some megabytes do not stay in memory after a person has left them.
    gcTime: 60_000,
  });

/** Where the browser downloads a file from by itself, however large it is. */
export const fileAddress = (owner: Owner, snapshot: string, path: string): string =>
  url(fileAt(owner), { path }, { id: owner.id, snapshot });

/** Where the browser downloads a folder from, as a tar archive. The empty path is the whole workspace. */
export const folderAddress = (owner: Owner, snapshot: string, path: string): string =>
  url(`${addressOf(owner).at}/snapshots/{snapshot}/archive`, { path }, { id: owner.id, snapshot });

/** Puts files into the sandbox, as a tar archive. */
export const putFiles = async (
  owner: Owner,
  { folder, replace }: { folder: string; replace: boolean },
  archive: Blob,
  options: { progress: (percent: number) => void; signal: AbortSignal },
): Promise<components["schemas"]["PutFiles"]> => {
  const query = new URLSearchParams({ folder, replace: String(replace) });
  const { send } = await import("~/ui/upload/upload-choice");
  const { at, path } = addressOf(owner);
  const place = `${at.replace("{id}", encodeURIComponent(path.id))}/sandbox/files`;
  return send(`${place}?${query.toString()}`, archive, options);
};

/** What differs from one snapshot to another. */
export const changesQuery = (owner: Owner, before: string, after: string) =>
  queryOptions({
    queryKey: keys.changes(owner.id, before, after),
    queryFn: ({ signal }) =>
      api.get(`${addressOf(owner).at}/snapshots/{snapshot}/diff`, {
        path: { id: owner.id, snapshot: after },
        query: { before },
        signal,
      }),
    staleTime: Infinity,
  });
