// The parameters, body and answer of each request, as types from the gateway's OpenAPI document.
import type { paths } from "./schema";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** The path templates that have a method, for example `/api/claws/{id}`. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: object } ? P : never;
}[keyof paths];

type Operation<M extends Method, P extends keyof paths> = paths[P][M];

type Success = 200 | 201 | 202 | 204;
type Json<R> = R extends { content: { "application/json": infer A } } ? A : undefined;

/** The body of a successful answer. It is undefined where the answer has no JSON. */
export type Answer<M extends Method, P extends keyof paths> =
  Operation<M, P> extends { responses: infer R }
    ? { [S in keyof R & Success]: Json<R[S]> }[keyof R & Success]
    : never;

/** A query parameter that is undefined is left out. */
type Loose<Q> = { [K in keyof Q]: object extends Pick<Q, K> ? Q[K] | undefined : Q[K] };

type OfPath<O> = O extends { parameters: { path: infer V } } ? { path: V } : { path?: never };

type OfQuery<O> = O extends { parameters: { query: infer Q } }
  ? { query: Loose<Q> }
  : O extends { parameters: { query?: infer Q } }
    ? { query?: Loose<NonNullable<Q>> | undefined }
    : { query?: never };

type OfBody<O> = O extends { requestBody: { content: infer C } }
  ? { body: C extends { "application/json": infer B } ? B : Uint8Array }
  : { body?: never };

export type Query<P extends PathOf<"get">> = OfQuery<Operation<"get", P>>["query"];

interface Common {
  signal?: AbortSignal | undefined;
  /** The version that the page has read. The gateway refuses a write over another version. */
  ifMatch?: number;
  /** A request that is sent twice with the same key is done once. */
  idempotencyKey?: string;
  /** The media type of a body that is not JSON. */
  contentType?: string;
}

export type Options<M extends Method, P extends keyof paths> = Common &
  OfPath<Operation<M, P>> &
  OfQuery<Operation<M, P>> &
  OfBody<Operation<M, P>>;

/** The options are optional where no field of them is required. */
export type Rest<T> = object extends T ? [options?: T] : [options: T];

/** The paths of lists with pages. */
export type ListPath = {
  [P in PathOf<"get">]: "next_cursor" extends keyof Answer<"get", P> ? P : never;
}[PathOf<"get">];

export type Item<P extends ListPath> = Answer<"get", P> extends { items: (infer T)[] } ? T : never;

/** A page has 100 items. `limit: undefined` is for a list that takes no limit. */
export type ListOptions<P extends ListPath> = Omit<Options<"get", P>, "query"> & {
  query?: NonNullable<Query<P>> & { limit?: number | undefined };
};
