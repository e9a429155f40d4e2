import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";

/** The deployment's images. No event says that one arrived, so an open page asks again. */
export const imagesQuery = queryOptions({
  queryKey: keys.images,
  queryFn: ({ signal }) => api.get("/api/images", { signal }),
  refetchInterval: 30_000,
});
