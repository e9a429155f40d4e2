// Reading the log page by page: to check every entry against its link, and to write what is filtered into a file.
import { api } from "~/api/client";
import type { components } from "~/api/schema";
import type { AuditEntry } from "~/api/types";

const LIMIT = 200;

/** Hands over page after page, newest first, until the end or until `signal` says stop. */
export async function* pages(
  query: Record<string, string>,
  signal: AbortSignal,
): AsyncGenerator<AuditEntry[]> {
  let cursor: string | undefined;
  do {
    const page: components["schemas"]["Page_AuditEntry"] = await api.get("/api/audit", {
      query: { ...query, limit: LIMIT, cursor },
      signal,
    });
    yield page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

export interface Findings {
  entries: number;
  /** Not what was linked. */
  changed: AuditEntry[];
  /** Written so lately that they have no link yet. */
  unlinked: number;
  /** Entries whose place in the chain does not come before that of the entry after them. */
  disordered: AuditEntry[];
}

export const NO_FINDINGS: Findings = { entries: 0, changed: [], unlinked: 0, disordered: [] };

/** What a page adds to what was found. `last` is the place of the entry before it, the newer one. */
export function checkPage(so: Findings, entries: AuditEntry[], last: number): [Findings, number] {
  const next = {
    ...so,
    changed: [...so.changed],
    disordered: [...so.disordered],
    entries: so.entries + entries.length,
  };
  for (const entry of entries) {
    if (!entry.link) {
      next.unlinked += 1;
      continue;
    }
    if (!entry.link.intact) next.changed.push(entry);
    // Two entries of one moment may be linked in either order; a place that is taken twice never is right.
    if (entry.link.position === last) next.disordered.push(entry);
    last = entry.link.position;
  }
  return [next, last];
}

const COLUMNS = [
  "at",
  "actor",
  "by",
  "action",
  "entity_kind",
  "entity_id",
  "details",
  "position",
  "sha256",
] as const;

/** One cell. What a spreadsheet would take for a formula is made text: names in a log are written by strangers. */
export function cell(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function row(entry: AuditEntry): string {
  const all: Record<(typeof COLUMNS)[number], string> = {
    at: entry.at,
    actor: entry.actor,
    by: entry.by?.email ?? "",
    action: entry.action,
    entity_kind: entry.entity_kind,
    entity_id: entry.entity_id,
    details: JSON.stringify(entry.details),
    position: entry.link ? String(entry.link.position) : "",
    sha256: entry.link?.sha256 ?? "",
  };
  return COLUMNS.map((name) => cell(all[name])).join(",");
}

export type Form = "csv" | "json";

/** The file of these entries. JSON is an array of exactly what the gateway answers. */
export function write(entries: AuditEntry[], form: Form): Blob {
  if (form === "json") return new Blob([JSON.stringify(entries, null, 1)], { type: "application/json" });
  return new Blob([[COLUMNS.join(","), ...entries.map(row)].join("\r\n"), "\r\n"], { type: "text/csv" });
}
