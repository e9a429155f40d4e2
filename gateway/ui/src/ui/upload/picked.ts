// The files that a person chose or dropped, with their paths.
import type { Entry } from "./tar";

export interface Picked {
  /** What people call the files: the folder's or the archive's name. */
  name: string;
  /** The files of a folder, or one archive. */
  what: { folder: Entry[] } | { archive: File };
}

const ARCHIVES = /\.(tar\.gz|tgz|tar|zip)$/iu;

/** A name of at most 100 characters without control characters. */
const plain = (name: string) =>
  name
    .replace(/\p{Cc}/gu, "")
    .slice(0, 100)
    .trim() || "files";

const isSent = (path: string) => !path.split("/").includes(".git");

/** A folder's files without `.git`. */
function folderOf(name: string, entries: Entry[]): Picked {
  const kept = entries.filter(({ path }) => isSent(path));
  return { name: plain(name), what: { folder: kept.toSorted((a, b) => (a.path < b.path ? -1 : 1)) } };
}

const archiveOf = (file: File): Picked => ({
  name: plain(file.name.replace(ARCHIVES, "")),
  what: { archive: file },
});

/** What an input of the kind `file` has: one archive, some files, or a folder with the paths below it. */
export function fromInput(files: File[]): Picked | undefined {
  const [first] = files;
  if (!first) return undefined;
  if (files.length === 1 && !first.webkitRelativePath && ARCHIVES.test(first.name)) return archiveOf(first);
  const name = first.webkitRelativePath.split("/")[0] || "files";
  return folderOf(
    name,
    files.map((file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file })),
  );
}

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((done, failed) => entry.file(done, failed));

async function below(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    // A browser hands out some entries at a time, and none at the end.
    const some = await new Promise<FileSystemEntry[]>((done, failed) => reader.readEntries(done, failed));
    if (some.length === 0) return all;
    all.push(...some);
  }
}

async function walk(entry: FileSystemEntry, path: string, most: number, into: Entry[]): Promise<void> {
  if (into.length > most || !isSent(path)) return;
  if (entry.isFile) into.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
  else
    for (const one of await below(entry as FileSystemDirectoryEntry))
      await walk(one, `${path}/${one.name}`, most, into);
}

/** What was dropped. Call it in the event itself: afterwards the browser forgets. Reads at most `most` files and one more. */
export async function fromDrop(data: DataTransfer, most: number): Promise<Picked | undefined> {
  const items = [...data.items].map((item) => item.webkitGetAsEntry());
  const entries = items.filter((entry) => entry !== null);
  const [first] = entries;
  if (!first) return undefined;
  if (entries.length === 1 && first.isFile && ARCHIVES.test(first.name))
    return archiveOf(await fileOf(first as FileSystemFileEntry));
  const into: Entry[] = [];
  if (entries.length === 1 && first.isDirectory) {
    for (const one of await below(first as FileSystemDirectoryEntry)) await walk(one, one.name, most, into);
    return folderOf(first.name, into);
  }
  for (const entry of entries) await walk(entry, entry.name, most, into);
  return folderOf("files", into);
}
