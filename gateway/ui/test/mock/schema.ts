// Short names for the shapes of the gateway's OpenAPI document. The mock keeps and answers nothing else, so a field that
// the document does not know or that the mock leaves out is a type error.
import type { components } from "../../src/api/schema";

/** The document says `object` where any JSON object may stand, which its generated type would forbid. */
export type Opened<T> = T extends readonly (infer I)[]
  ? Opened<I>[]
  : T extends object
    ? string extends keyof T
      ? [T[keyof T]] extends [never]
        ? Record<string, unknown>
        : { [K in keyof T]: Opened<T[K]> }
      : { [K in keyof T]: Opened<T[K]> }
    : T;

export type Schemas = { [K in keyof components["schemas"]]: Opened<components["schemas"][K]> };

export type Activity = Schemas["Activity"];
export type Actor = Schemas["ActorSnapshot"];
export type AuditEntry = Schemas["AuditEntry"];
export type Brain = Schemas["Brain"];
export type Claw = Schemas["Claw"];
export type Connection = Schemas["AppConnection"];
export type Door = Schemas["Door"];
export type Member = Schemas["Member"];
export type Model = Schemas["ModelBinding"];
export type Node = Schemas["Node"];
export type Operation = Schemas["OperationLine"];
export type Repo = Schemas["Repo"];
export type RepoConnection = Schemas["RepoConnection"];
export type Role = Schemas["Role"];
export type Run = Schemas["Run"];
export type RunCall = Schemas["RunCall"];
export type RunStep = Schemas["RunStep"];
export type Sandbox = Schemas["Sandbox"];
export type Team = Schemas["Team"];
export type Template = Schemas["TeamTemplate"];
export type UserBrief = Schemas["UserBrief"];
