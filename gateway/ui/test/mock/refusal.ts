// A refusal, as the gateway words it: a problem with a code.
import type { Schemas } from "./schema.ts";

export type Code = Schemas["Code"];

export interface Details extends Partial<Pick<Schemas["Problem"], "detail" | "errors" | "limit" | "used">> {
  headers?: Record<string, string>;
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: Code;
  readonly more: Details;

  constructor(status: number, code: Code, title: string, more: Details = {}) {
    super(title);
    this.status = status;
    this.code = code;
    this.more = more;
  }
}

/** What was looked for, or a refusal with 404. */
export function must<T>(found: T | undefined, title = "There is no such thing", code: Code = "not-found"): T {
  if (found === undefined) throw new Refusal(404, code, title);
  return found;
}

/** Refuses a change that names another version than the present one, as the gateway does. */
export function basedOn(version: number, headers: { "if-match"?: string | undefined }) {
  const over = headers["if-match"];
  if (over !== undefined && over !== `"${version}"`)
    throw new Refusal(412, "precondition-failed", "Somebody else wrote in between");
}
