// The type of a route: its parameters, its body and its answer come from the gateway's OpenAPI document by its name.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer, Method, Options, PathOf } from "../../src/api/operations";
import type { paths } from "../../src/api/schema";
import type { Opened } from "./schema.ts";
import type { Mock } from "./server.ts";
import type { State } from "./state.ts";

/** `GET /api/claws/{id}` and all others that the document has. */
export type Key = { [M in Method]: `${Uppercase<M>} ${PathOf<M>}` }[Method];

type MethodOf<K> = K extends `${infer M} ${string}` ? Extract<Lowercase<M>, Method> : never;
type PathIn<K> = K extends `${string} ${infer P}` ? Extract<P, PathOf<MethodOf<K>>> : never;

type AnswerOf<K extends Key> = Opened<Answer<MethodOf<K>, PathIn<K>>>;
type BodyOf<K extends Key> =
  Options<MethodOf<K>, PathIn<K>> extends { body: infer B } ? Opened<B> : Record<string, never>;
type ParamsOf<K extends Key> = paths[PathIn<K>][MethodOf<K>] extends { parameters: { path: infer V } }
  ? { [N in keyof V]: string }
  : Record<never, string>;

/** What every route is given. */
export interface Asked {
  mock: Mock;
  state: State;
  query: URLSearchParams;
  raw: Buffer;
  request: IncomingMessage;
  response: ServerResponse;
  session: string;
}

/** A route with an `{id}`. */
export type AskedOf = Asked & { params: { id: string } };

export type At<K extends Key> = Asked & { params: ParamsOf<K>; body: BodyOf<K> };

export interface Told {
  status?: number;
  headers?: Record<string, string>;
}

/** An answer has the body of the document, and none where the document has none. */
type Reply<A> = undefined extends A ? Told & { body?: Exclude<A, undefined> } : Told & { body: A };

type Later<A> = A | Promise<A> | undefined | void;

/** A route that streams writes its answer by itself and returns nothing. As a method it may be called with any route. */
type Handler<K extends Key> = { call(at: At<K>): Later<Reply<AnswerOf<K>>> }["call"];

export type Routes = { [K in Key]?: Handler<K> };

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type KeyOf<T> = T extends unknown ? keyof T : never;
type Field<T, N> = T extends unknown ? (N extends keyof T ? T[N] : never) : never;

/** The names of fields, at any depth, that `Made` has and `Wanted` does not know. */
type Excess<Made, Wanted> =
  Same<Made, Wanted> extends true
    ? never
    : Made extends readonly (infer I)[]
      ? Excess<I, Field<Wanted, number>>
      : Made extends object
        ? string extends KeyOf<NonNullable<Wanted>>
          ? never
          : | Exclude<keyof Made, KeyOf<NonNullable<Wanted>>>
            | { [N in keyof Made]-?: Excess<Made[N], Field<NonNullable<Wanted>, N>> }[keyof Made]
        : never;

type BodyMade<H> = H extends (...at: never[]) => infer R
  ? Field<Exclude<Awaited<R>, void | undefined>, "body">
  : never;

/**
 * Routes whose bodies have no field too many. The type of a returned object does not show it: a function may return more
 * than its type asks for.
 */
export type Unspoilt<R> = {
  [K in keyof R]: K extends Key
    ? [Excess<BodyMade<R[K]>, AnswerOf<K>>] extends [never]
      ? unknown
      : { unknown_field: Excess<BodyMade<R[K]>, AnswerOf<K>> }
    : never;
};

/** A route as the server calls it: which one it is, is known only when a request arrives. */
export type AnyRoute = {
  call(at: Asked & { params: Record<string, string>; body: unknown }): Later<Told & { body?: unknown }>;
}["call"];

/** The key under which a request is done only once. */
export const keyOf = (request: IncomingMessage): string | undefined =>
  [request.headers["idempotency-key"]].flat()[0];
