// PDFs of a mission: the button for its report, the one of a Markdown artifact, and the pages of a PDF that is there.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Download, FileText } from "lucide-react";
import { lazy, Suspense } from "react";
import { api, url } from "~/api/client";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import type { MissionArtifact, MissionDetail } from "~/api/missions";
import { asProblem } from "~/api/problem";
import { renew } from "~/live/renew";
import { Button, buttonClass } from "~/ui/button";
import { bytes } from "~/ui/bytes";
import { ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { isFinal } from "./words";

const PdfViewer = lazy(async () => ({ default: (await import("~/ui/pdf/viewer")).PdfViewer }));

/** The page does not load a PDF with more bytes. */
const MOST_SHOWN = 64 * 1024 * 1024;

/** The PDF of this source. Null is the report. */
const pdfOf = (mission: MissionDetail, source: string | null) =>
  mission.artifacts.find(({ kind, pdf }) => kind === "pdf" && (pdf?.source_id ?? null) === source);

/** "12 pages, 340 KiB". */
export function sizeOf({ pdf }: MissionArtifact): string {
  const pages = pdf?.pages == null ? [] : [pdf.pages === 1 ? "1 page" : `${pdf.pages} pages`];
  return [...pages, ...(pdf?.bytes == null ? [] : [bytes(pdf.bytes)])].join(", ");
}

const hrefOf = (mission: string, artifact: string) =>
  url("/api/missions/{id}/artifacts/{artifact_id}/content", undefined, {
    id: mission,
    artifact_id: artifact,
  });

function useRequest(mission: string, artifact: string | null) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      artifact === null
        ? api.post("/api/missions/{id}/report", { path: { id: mission } })
        : api.post("/api/missions/{id}/artifacts/{artifact_id}/pdf", {
            path: { id: mission, artifact_id: artifact },
          }),
    onSuccess: () => renew(client, { queryKey: keys.mission(mission) }),
  });
}

interface Props {
  mission: MissionDetail;
  /** The Markdown artifact. Null for the report. */
  source: string | null;
  /** What the button says, such as "Report as PDF". */
  label: string;
  /** For people who do not see what the button belongs to. */
  about?: string;
}

/** Asks for a PDF, says that it is being made, and then downloads it. */
export function PdfButton({ mission, source, label, about }: Props) {
  const manages = useMay()("missions.manage");
  const request = useRequest(mission.id, source);
  const pdf = pdfOf(mission, source);
  const hidden = about && <span className="sr-only"> {about}</span>;
  // The report changes until the mission has ended.
  if (pdf?.status === "ready" && (source !== null || isFinal(mission.status) || !manages))
    return (
      <a href={hrefOf(mission.id, pdf.id)} download className={buttonClass()}>
        <Download size={14} aria-hidden />
        {label}
        {hidden}
        <span className="text-fg-3">({sizeOf(pdf)})</span>
      </a>
    );
  if (!manages) return null;
  const pending = pdf?.status === "pending";
  return (
    <>
      {request.error && <ProblemNote problem={asProblem(request.error)} />}
      <Button
        busy={pending || request.isPending}
        icon={<FileText size={14} aria-hidden />}
        onClick={() => request.mutate()}
      >
        {pending ? "The PDF is being made" : pdf?.status === "failed" ? `${label} again` : label}
        {hidden}
      </Button>
    </>
  );
}

/** What stands where other artifacts have their viewer. */
export const PdfView = ({ mission, artifact }: { mission: string; artifact: MissionArtifact }) => (
  <Suspense fallback={<Loading what="the PDF viewer" rows={6} />}>
    <PdfViewer
      key={artifact.id}
      name={visible(artifact.title)}
      href={hrefOf(mission, artifact.id)}
      load={(signal) =>
        api.bytes("/api/missions/{id}/artifacts/{artifact_id}/content", MOST_SHOWN, {
          path: { id: mission, artifact_id: artifact.id },
          signal,
        })
      }
    />
  </Suspense>
);
