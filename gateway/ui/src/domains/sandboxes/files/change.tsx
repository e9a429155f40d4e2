import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import type { FileChange } from "~/api/types";
import { bytes } from "~/ui/bytes";
import { changedLines } from "~/ui/diff/diff";
import { DiffLines, FileDiff } from "~/ui/diff/file-diff";
import { countOf } from "~/ui/diff/patch";
import { MissingRight } from "~/ui/missing-right";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status, type Tone } from "~/ui/status";
import { visible } from "~/ui/visible";
import { comparable, type Difference } from "./changes";
import { contentOf, MOST_SHOWN, MOST_TEXT, type Content } from "./content";
import { Picture, Said } from "./picture";
import { contentQuery } from "./queries";

const TONES: Record<Difference, Tone> = { added: "done", changed: "moving", removed: "failed" };

interface Pair {
  owner: Owner;
  /** The two snapshots. */
  before: string;
  after: string;
}

/** A file that one of the snapshots does not have is empty there. */
const NONE = new Uint8Array();

/** The content of a file in one snapshot; `link` where the path is not a file. */
function useSide(owner: Owner, snapshot: string, path: string, there: boolean, large: boolean) {
  const query = useQuery({ ...contentQuery(owner, snapshot, path), enabled: there && !large });
  const content = there ? (large ? null : query.data) : NONE;
  const shown = useMemo(() => (content === undefined ? undefined : contentOf(content)), [content]);
  const link = query.isError && asProblem(query.error).status === 400;
  return { query, content, shown, link };
}

const textOf = (shown: Content) => (shown.kind === "text" ? shown.text : "");
const isText = (shown: Content) => shown.kind === "text" || shown.kind === "empty";

function Lines({ before, after }: { before: Content; after: Content }) {
  const lines = useMemo(
    () => changedLines(comparable(textOf(before)), comparable(textOf(after))),
    [before, after],
  );
  const { added, removed } = countOf(lines);
  if (added + removed === 0)
    return (
      <p className="text-fg-2">The lines are the same. The file's mode or the end of its text differs.</p>
    );
  return (
    <>
      <p className="pb-1 text-small text-fg-3">
        {added} {added === 1 ? "line" : "lines"} added, {removed} removed
      </p>
      <DiffLines lines={lines} />
    </>
  );
}

function Contents({ owner, before, after, change }: Pair & { change: FileChange }) {
  const { path, difference, bytes_before, bytes_after } = change;
  const large = Math.max(bytes_before ?? 0, bytes_after ?? 0) > MOST_SHOWN;
  const old = useSide(owner, before, path, difference !== "added", large);
  const now = useSide(owner, after, path, difference !== "removed", large);
  if (old.link || now.link)
    return <Said>This is a symbolic link, or was one. The tree shows its target.</Said>;
  const failed = [old, now].find(({ query, shown }) => query.isError && !shown);
  if (failed)
    return <Failed error={failed.query.error} retry={() => void failed.query.refetch()} className="my-2" />;
  if (!old.shown || !now.shown) return <Loading what="the two contents" rows={4} />;
  if (old.shown.kind === "large" || now.shown.kind === "large")
    return (
      <Said>
        This file is too large to be compared here. The page compares texts up to {bytes(MOST_TEXT)}.
      </Said>
    );
  if (isText(old.shown) && isText(now.shown)) return <Lines before={old.shown} after={now.shown} />;
  const pictures = [["Before", old] as const, ["After", now] as const].flatMap(
    ([name, { shown, content }]) =>
      shown?.kind === "image" && content ? [{ name, type: shown.type, content }] : [],
  );
  if (pictures.length === 0) return <Said>This file is not text. Download both to compare them.</Said>;
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      {pictures.map(({ name, type, content }) => (
        <div key={name}>
          <p className="pb-1 text-small text-fg-2">{name}</p>
          <Picture content={content} type={type} path={path} />
        </div>
      ))}
    </div>
  );
}

function sizes({ difference, bytes_before, bytes_after }: FileChange): string {
  if (difference === "added") return bytes(bytes_after);
  if (difference === "removed") return bytes(bytes_before);
  return bytes_before === bytes_after ? bytes(bytes_after) : `${bytes(bytes_before)} → ${bytes(bytes_after)}`;
}

/** A file that differs, with its lines when it is open. */
export function Change(props: Pair & { change: FileChange; open: boolean; onToggle: () => void }) {
  const { change, open, onToggle } = props;
  const may = useMay()("sandboxes.use");
  return (
    <FileDiff
      path={change.path}
      open={open}
      onToggle={onToggle}
      note={
        <>
          <span className="text-fg-3 max-sm:hidden">{sizes(change)}</span>
          <Status tone={TONES[change.difference]} word={change.difference} />
        </>
      }
    >
      <div
        role="region"
        aria-label={`What differs in ${visible(change.path)}`}
        tabIndex={0}
        className="max-h-[60vh] overflow-auto px-2 focus-visible:-outline-offset-2"
      >
        {may ? <Contents {...props} /> : <MissingRight what="read files of agents" least="member" />}
      </div>
    </FileDiff>
  );
}
