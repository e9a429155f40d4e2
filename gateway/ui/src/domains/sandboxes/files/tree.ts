// The tree of a snapshot's files as rows: which rows there are, which folders they need, and what a key does in it.
import type { FileEntry, FileList } from "~/api/types";

/** What is known of a folder. */
export interface Folder {
  list?: FileList | undefined;
  failed?: boolean;
}

export type Note = "loading" | "failed" | "empty" | "more";

export interface EntryRow {
  path: string;
  level: number;
  entry: FileEntry;
  open: boolean;
  /** Its place among the entries of its folder, from 1. */
  place: number;
  of: number;
}

/** Says something about a folder, in the place of its entries or after them. */
export interface NoteRow {
  path: string;
  level: number;
  note: Note;
}

export type Row = EntryRow | NoteRow;

export const isEntry = (row: Row | undefined): row is EntryRow => row !== undefined && "entry" in row;

export const joined = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** The folders above a path, from the top. */
export function above(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

const byName = new Intl.Collator("en", { numeric: true });

/** Folders first, then by name, so that `file-10` comes after `file-9`. */
export const ordered = (entries: readonly FileEntry[]): FileEntry[] =>
  entries.toSorted(
    (a, b) =>
      Number(b.kind === "folder") - Number(a.kind === "folder") ||
      byName.compare(a.name, b.name) ||
      (a.name < b.name ? -1 : 1),
  );

interface Tree {
  rows: Row[];
  /** The folders that are open and that the tree has reached. */
  reached: string[];
}

/** The rows of a tree. A folder that is open but not in its parent any more (in another snapshot) adds nothing. */
export function treeOf(open: ReadonlySet<string>, folder: (path: string) => Folder): Tree {
  const rows: Row[] = [];
  const reached: string[] = [];
  const add = (path: string, level: number) => {
    reached.push(path);
    const { list, failed } = folder(path);
    const note = (what: Note) => rows.push({ path, level, note: what });
    if (!list) return void note(failed ? "failed" : "loading");
    if (list.entries.length === 0) return void note("empty");
    const entries = ordered(list.entries);
    entries.forEach((entry, index) => {
      const own = joined(path, entry.name);
      const isOpen = entry.kind === "folder" && open.has(own);
      rows.push({ path: own, level, entry, open: isOpen, place: index + 1, of: entries.length });
      if (isOpen) add(own, level + 1);
    });
    if (list.more) note("more");
    return undefined;
  };
  add("", 1);
  return { rows, reached };
}

/** What a key does: another row becomes the active one, a folder opens or closes, or the row is chosen. */
export type Move = { to: number } | { toggle: string } | { choose: Row };

/** As in the tree pattern of ARIA. `page` is how many rows are in sight. */
export function move(rows: readonly Row[], active: number, key: string, page: number): Move | undefined {
  const last = rows.length - 1;
  const row = rows[active];
  const to = (index: number): Move => ({ to: Math.min(last, Math.max(0, index)) });
  switch (key) {
    case "ArrowDown":
      return to(active + 1);
    case "ArrowUp":
      return to(active - 1);
    case "PageDown":
      return to(active + page);
    case "PageUp":
      return to(active - page);
    case "Home":
      return to(0);
    case "End":
      return to(last);
    case "ArrowRight":
      if (!isEntry(row) || row.entry.kind !== "folder") return undefined;
      return row.open ? to(active + 1) : { toggle: row.path };
    case "ArrowLeft": {
      if (!row) return undefined;
      if (isEntry(row) && row.open) return { toggle: row.path };
      const parent = isEntry(row) ? parentOf(row.path) : row.path;
      const index = rows.findIndex((one) => isEntry(one) && one.path === parent);
      return index < 0 ? undefined : to(index);
    }
    case "Enter":
    case " ":
      return row && { choose: row };
    default:
      return undefined;
  }
}

/** The next row after `active` whose name begins with the typed letter, around the end. */
export function typed(rows: readonly Row[], active: number, letter: string): number | undefined {
  const wanted = letter.toLowerCase();
  const around = [...rows.keys()].map((index) => (active + 1 + index) % rows.length);
  return around.find((index) => {
    const row = rows[index];
    return isEntry(row) && row.entry.name.toLowerCase().startsWith(wanted);
  });
}
