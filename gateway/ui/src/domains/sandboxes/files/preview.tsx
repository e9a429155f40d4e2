import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useMemo, useRef } from "react";
import { useMay } from "~/api/may";
import type { Owner } from "~/api/sandboxes";
import { bytes } from "~/ui/bytes";
import { buttonClass } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { MissingRight } from "~/ui/missing-right";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { useBoxWindow } from "~/ui/window";
import { contentOf, MOST_SHOWN, MOST_TEXT, textRows, type Content } from "./content";
import { Picture, Said } from "./picture";
import { contentQuery, fileAddress, folderAddress, folderQuery } from "./queries";
import { nameOf, parentOf } from "./tree";

const ROW = 20;

/** A text with the numbers of its lines. Only the rows in sight are drawn. */
function Text({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => textRows(text), [text]);
  const { first, last, before, after } = useBoxWindow(box, rows.length, ROW);
  const digits = String(rows.length).length;
  return (
    <div
      ref={box}
      role="region"
      aria-label={label}
      tabIndex={0}
      className="max-h-[64vh] overflow-auto py-2 font-mono text-small focus-visible:-outline-offset-2"
    >
      <div className="w-max min-w-full">
        <div style={{ height: before }} />
        {rows.slice(first, last).map((row, offset) => (
          <div key={first + offset} className="flex" style={{ height: ROW, lineHeight: `${ROW}px` }}>
            <span
              aria-hidden
              className="sticky left-0 shrink-0 bg-surface pr-3 pl-4 text-right text-fg-3 select-none"
              style={{ minWidth: `calc(${digits}ch + 28px)` }}
            >
              {row.line}
            </span>
            <span className="pr-4 whitespace-pre">{visible(row.text)}</span>
          </div>
        ))}
        <div style={{ height: after }} />
      </div>
    </div>
  );
}

function Shown({ shown, content, path }: { shown: Content; content: Uint8Array | null; path: string }) {
  switch (shown.kind) {
    case "text":
      return <Text text={shown.text} label={`Text of ${visible(path)}`} />;
    case "image":
      // A key of its own: what one picture is says nothing about the next.
      return content && <Picture key={path} content={content} type={shown.type} path={path} />;
    case "empty":
      return <Said>This file is empty.</Said>;
    case "binary":
      return (
        <Said>This file is not text, and not a picture that the page can show. You can download it.</Said>
      );
    case "large":
      return <Large />;
  }
}

const Large = () => (
  <Said>
    This file is too large for the page. The page shows texts up to {bytes(MOST_TEXT)} and pictures up to{" "}
    {bytes(MOST_SHOWN)}. You can download it.
  </Said>
);

interface Props {
  owner: Owner;
  snapshot: string;
  path: string;
}

function Body({ owner, snapshot, path, size }: Props & { size: number | undefined }) {
  const large = size !== undefined && size > MOST_SHOWN;
  const content = useQuery({ ...contentQuery(owner, snapshot, path), enabled: !large });
  const shown = useMemo(
    () => (content.data === undefined ? undefined : contentOf(content.data)),
    [content.data],
  );
  if (large) return <Large />;
  if (content.isPending) return <Loading what="the file" rows={6} />;
  if (!shown) return <Failed error={content.error} retry={() => void content.refetch()} />;
  return (
    <>
      {shown.kind === "text" && (
        <div className="flex justify-end border-b border-line px-4 py-1.5">
          <CopyButton text={shown.text} label="Copy text" />
        </div>
      )}
      <Shown shown={shown} content={content.data ?? null} path={path} />
    </>
  );
}

/** A file of a snapshot: what it is, its content where the page can show it, and its download. */
export function Preview({ owner, snapshot, path }: Props) {
  const may = useMay()("sandboxes.use");
  const above = parentOf(path);
  const folder = useQuery(folderQuery(owner, snapshot, above));
  const entry = folder.data?.entries.find((one) => one.name === nameOf(path));
  // A folder with more entries than an answer has may have the file all the same.
  const gone = folder.data !== undefined && !entry && !folder.data.more;
  const lost = folder.isError && folder.data === undefined;
  const readable = !gone && !lost && entry?.kind !== "folder" && entry?.kind !== "link";
  return (
    <Panel
      title={visible(path)}
      className="flex min-w-0 flex-col [&_h2]:min-w-0 [&_h2]:break-all"
      aside={
        readable &&
        may && (
          <a
            href={fileAddress(owner, snapshot, path)}
            download={nameOf(path)}
            className={buttonClass("plain")}
            aria-label={`Download ${visible(nameOf(path))}`}
          >
            <Download size={14} aria-hidden />
            Download
          </a>
        )
      }
    >
      {entry && (
        <p className="border-b border-line px-4 py-2 text-small text-fg-3">
          {entry.kind === "file" && `${bytes(entry.bytes)}, `}mode {entry.mode}, changed{" "}
          <Ago at={entry.modified_at} />
          {may && above !== "" && (
            <>
              {" · "}
              <a
                href={folderAddress(owner, snapshot, above)}
                download={`${nameOf(above)}.tar`}
                className="underline"
              >
                Download its folder
              </a>
            </>
          )}
        </p>
      )}
      {(gone || lost) && <Said>This snapshot has no file with this path. Another snapshot may have it.</Said>}
      {entry?.kind === "folder" && <Said>This is a folder. Its files are in the tree.</Said>}
      {entry?.kind === "link" && (
        <Said>
          This is a symbolic link to <bdi className="font-mono">{visible(entry.target ?? "")}</bdi>.
        </Said>
      )}
      {folder.isPending && <Loading what="the file" rows={6} />}
      {readable && !folder.isPending && may && path.includes("\uFFFD") && (
        <Said>The name of this file is not UTF-8, so the page cannot request it.</Said>
      )}
      {readable && !folder.isPending && may && !path.includes("\uFFFD") && (
        <Body owner={owner} snapshot={snapshot} path={path} size={entry?.bytes ?? undefined} />
      )}
      {readable && !may && (
        <div className="px-4 py-6">
          <MissingRight what="read files of agents" least="member" />
        </div>
      )}
    </Panel>
  );
}
