import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";

/** Who is signed in, in which workspace, with which rights. */
export const meQuery = queryOptions({
  queryKey: keys.me,
  queryFn: ({ signal }) => api.get("/api/auth/me", { signal }),
});

/** Lets go of everything that belonged to a person. What is public stays, because the sign-in page is using it. */
export function forgetPerson(client: QueryClient) {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== keys.setup[0] });
}
