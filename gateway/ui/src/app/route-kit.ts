// What every route is made with: a chunk of its own, and an address that holds only what is set.
import { lazyRouteComponent } from "@tanstack/react-router";
import type { ComponentType } from "react";
import { arriving } from "~/live/arriving";
import { PageMissing } from "./lost-pages";

export const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** Only a path of this page may follow a sign-in, never another origin. */
export function safeNext(value: unknown): string | undefined {
  const next = text(value);
  return next && /^\/(?![/\\])/.test(next) && !next.startsWith("/sign-in") ? next : undefined;
}

/** Keeps an address short: what is not set does not appear in it. */
export function given<T extends Record<string, string | undefined>>(search: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string;
  };
}

/** Reads the words of these names from an address, and nothing else. */
export const only =
  <K extends string>(...names: K[]) =>
  (search: Record<string, unknown>) =>
    given(
      Object.fromEntries(names.map((name) => [name, text(search[name])])) as Record<K, string | undefined>,
    );

/** A page in a chunk of its own. Where it does not arrive, that is said; the router's own answer, a reload unasked, would lose what was typed. */
export function page<T extends Record<string, unknown>>(load: () => Promise<T>, name: keyof T & string) {
  const part = arriving(async () => (await load())[name] as ComponentType, PageMissing);
  return lazyRouteComponent(async () => ({ [name]: await part() }), name);
}
