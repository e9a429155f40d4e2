// What the phases left, with a viewer for each kind.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, Download } from "lucide-react";
import { lazy, Suspense } from "react";
import { url } from "~/api/client";
import type { MissionArtifact, MissionDetail } from "~/api/missions";
import { buttonClass } from "~/ui/button";
import { cx } from "~/ui/class";
import { Markdown } from "~/ui/markdown/markdown";
import { Panel } from "~/ui/panel";
import { QueryView } from "~/ui/query-view";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Status, type Tone } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { PdfButton, PdfView } from "./pdf";
import { pretty } from "./pretty";
import { artifactQuery } from "./queries";
import { phaseName } from "./words";

const PatchView = lazy(async () => ({ default: (await import("~/ui/diff/patch-view")).PatchView }));

const BenchmarkView = lazy(async () => ({ default: (await import("./probe-views")).BenchmarkView }));
const FindingsView = lazy(async () => ({ default: (await import("./probe-views")).FindingsView }));

const STATES: Record<MissionArtifact["status"], { tone: Tone; word: string }> = {
  pending: { tone: "waiting", word: "Pending" },
  ready: { tone: "done", word: "Ready" },
  failed: { tone: "failed", word: "Failed" },
};

function Text({ text, title }: { text: string; title: string }) {
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={title}
      className="mx-4 my-3 max-h-[60vh] overflow-auto rounded-panel border border-line bg-sunken p-3 font-mono text-small whitespace-pre-wrap"
    >
      {visible(text)}
    </pre>
  );
}

function Content({ artifact, text }: { artifact: MissionArtifact; text: string }) {
  const title = visible(artifact.title);
  if (artifact.kind === "markdown")
    return (
      <div className="px-4 py-3">
        <Markdown text={text} what="the artifact" />
      </div>
    );
  if (artifact.kind === "diff")
    return (
      <Suspense fallback={<Loading what="the diff" rows={4} />}>
        <PatchView text={text} label={title} />
      </Suspense>
    );
  if (artifact.kind === "benchmark")
    return (
      <Suspense fallback={<Loading what="the measurements" rows={4} />}>
        <BenchmarkView text={text} />
      </Suspense>
    );
  if (artifact.kind === "security")
    return (
      <Suspense fallback={<Loading what="the findings" rows={4} />}>
        <FindingsView text={text} />
      </Suspense>
    );
  return <Text text={pretty(text)} title={title} />;
}

function Viewer({ mission, artifact }: { mission: string; artifact: MissionArtifact }) {
  const whole = useQuery(artifactQuery(mission, artifact));
  return (
    <QueryView query={whole} what="the artifact" rows={4}>
      {({ content }) =>
        content == null ? (
          <p className="px-4 py-3 text-fg-2">This artifact has no text. Download it to see it.</p>
        ) : (
          <Content artifact={artifact} text={content} />
        )
      }
    </QueryView>
  );
}

interface RowProps {
  mission: MissionDetail;
  artifact: MissionArtifact;
  open: boolean;
  onToggle: () => void;
}

function Row({ mission, artifact, open, onToggle }: RowProps) {
  const ready = artifact.status === "ready";
  const kind = mission.phase_details.find(({ id }) => id === artifact.phase_id)?.kind;
  const Icon = open ? ChevronDown : ChevronRight;
  const title = <bdi className="min-w-0 font-[550] break-words">{visible(artifact.title)}</bdi>;
  return (
    <li data-artifact={artifact.kind} className="border-b border-line last:border-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
        {ready ? (
          <button
            type="button"
            aria-expanded={open}
            onClick={onToggle}
            className="flex min-h-7 min-w-0 flex-1 basis-56 items-center gap-2 rounded-control text-left hover:text-accent pointer-coarse:min-h-11"
          >
            <Icon size={14} aria-hidden className="shrink-0 text-fg-3" />
            {title}
          </button>
        ) : (
          <span className="flex min-w-0 flex-1 basis-56 pl-[22px]">{title}</span>
        )}
        <span className="text-small text-fg-3">
          {artifact.kind === "pdf" ? "PDF" : sentence(artifact.kind)}
          {kind && `, ${phaseName(kind).toLowerCase()} phase`}
          {artifact.attempt > 1 && `, attempt ${artifact.attempt}`}, <Ago at={artifact.created_at} />
        </span>
        <Status {...STATES[artifact.status]} compact={ready} className="text-small" />
        {ready && artifact.kind === "markdown" && (
          <PdfButton mission={mission} source={artifact.id} label="PDF" about={visible(artifact.title)} />
        )}
        {ready && (
          <a
            href={url("/api/missions/{id}/artifacts/{artifact_id}/content", undefined, {
              id: mission.id,
              artifact_id: artifact.id,
            })}
            download
            className={buttonClass()}
          >
            <Download size={14} aria-hidden />
            <span className="max-sm:sr-only">Download</span>
            <span className="sr-only"> {visible(artifact.title)}</span>
          </a>
        )}
      </div>
      {artifact.error && (
        <p className="px-4 pb-2.5 pl-9 break-words text-failed">{visible(artifact.error)}</p>
      )}
      {open && ready && (
        <div className={cx("border-t border-line")}>
          {artifact.kind === "pdf" ? (
            <PdfView mission={mission.id} artifact={artifact} />
          ) : (
            <Viewer mission={mission.id} artifact={artifact} />
          )}
        </div>
      )}
    </li>
  );
}

interface Props {
  mission: MissionDetail;
  /** The one that is open. */
  chosen: string | undefined;
  onChoose: (id: string | undefined) => void;
}

export function Artifacts({ mission, chosen, onChoose }: Props) {
  const { artifacts } = mission;
  return (
    <Panel
      title="Artifacts"
      aside={
        <>
          <PdfButton mission={mission} source={null} label="Report as PDF" />
          <a
            href={url("/api/missions/{id}/report", undefined, { id: mission.id })}
            download
            className={buttonClass()}
          >
            <Download size={14} aria-hidden />
            Report
          </a>
        </>
      }
    >
      {artifacts.length === 0 ? (
        <p className="px-4 py-3 text-fg-2">
          Nothing yet. A phase leaves its results and changes here when it ends.
        </p>
      ) : (
        <ul>
          {artifacts.toReversed().map((artifact) => (
            <Row
              key={artifact.id}
              mission={mission}
              artifact={artifact}
              open={artifact.id === chosen}
              onToggle={() => onChoose(artifact.id === chosen ? undefined : artifact.id)}
            />
          ))}
        </ul>
      )}
    </Panel>
  );
}
