import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { Repo, RepoMirror } from "~/api/types";
import { Button } from "~/ui/button";
import { bytes, number } from "~/ui/bytes";
import { CopyText } from "~/ui/copy";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { dropMirror, wantMirror } from "./queries";
import { mirrorOf, progressOf } from "./words";

function Progress({ mirror }: { mirror: RepoMirror }) {
  const said = progressOf(mirror);
  // Only what is counted has an end that is known.
  const known = mirror.percent > 0 ? { "aria-valuenow": mirror.percent } : {};
  return (
    <div className="flex flex-col gap-1.5 px-4 pt-4">
      <div
        role="progressbar"
        aria-label={said}
        aria-valuemin={0}
        aria-valuemax={100}
        {...known}
        className="h-1.5 overflow-hidden rounded-full bg-line"
      >
        <div className="h-full bg-accent" style={{ width: `${mirror.percent}%` }} />
      </div>
      <p className="text-small text-fg-2">{said}</p>
    </div>
  );
}

function About({ mirror }: { mirror: RepoMirror }) {
  const rows: [string, ReactNode][] = [
    ["As of", <Ago key="at" at={mirror.fetched_at} />],
    ["Branch", mirror.head_branch ? <bdi key="branch">{mirror.head_branch}</bdi> : "no commits yet"],
    ...(mirror.head_commit
      ? [["Commit", <CopyText key="commit" text={mirror.head_commit} what="commit" />] as [string, ReactNode]]
      : []),
    ["Branches", number(mirror.branches)],
    ["Tags", number(mirror.tags)],
    ["Size", bytes(mirror.bytes)],
  ];
  return (
    <div className="break-all">
      <Facts items={rows} />
    </div>
  );
}

/** The copy of a repository that the secret broker keeps: how it stands, and what can be done about it. */
export function Mirror({ repo }: { repo: Repo }) {
  const client = useQueryClient();
  const may = useMay();
  const [leaving, setLeaving] = useState(false);
  const { mirror } = repo;
  const fetch = useMutation({
    mutationFn: () => wantMirror(repo.id),
    onSuccess: (told) => client.setQueryData(keys.repo(repo.id), told),
  });
  const state = mirror && mirrorOf(mirror);
  const working = mirror?.state === "waiting" || mirror?.state === "fetching";
  return (
    <Panel
      title="Mirror"
      aside={
        <>
          {state && <Status tone={state.tone} word={state.word} />}
          {may("repos.sync") && mirror?.state !== "removing" && (
            <Button busy={fetch.isPending || working} onClick={() => fetch.mutate()}>
              {mirror ? "Fetch again" : "Make a mirror"}
            </Button>
          )}
          {may("repos.manage") && mirror && mirror.state !== "removing" && (
            <Button onClick={() => setLeaving(true)}>Remove</Button>
          )}
        </>
      }
    >
      {mirror?.state === "fetching" && <Progress mirror={mirror} />}
      {mirror?.error && !working && <p className="px-4 pt-3 break-words text-failed">{mirror.error}</p>}
      {fetch.isError && <ProblemNote problem={asProblem(fetch.error)} className="mx-4 mt-3" />}
      {mirror?.fetched_at ? (
        <About mirror={mirror} />
      ) : (
        <p className="px-4 py-3 text-fg-2">
          A bare copy that the secret broker fetches with the connection&apos;s token and keeps: all branches
          and tags, no working tree. Nothing in it is executed.
        </p>
      )}
      {leaving && (
        <Confirm
          open
          onClose={() => setLeaving(false)}
          title={`Remove the mirror of ${isolate(repo.full_name.slice(0, 80))}?`}
          consequence="The copy leaves the secret broker's disk. The repository stays listed, and nothing is changed at its host."
          action="Remove"
          run={async () => {
            client.setQueryData(keys.repo(repo.id), await dropMirror(repo.id));
          }}
        />
      )}
    </Panel>
  );
}
