import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowUpFromLine, Download, FileDiff } from "lucide-react";
import { useState } from "react";
import { url } from "~/api/client";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { RunBranch, RunRepository } from "~/api/repos";
import { number } from "~/ui/bytes";
import { Button, buttonClass } from "~/ui/button";
import { textLink } from "~/ui/class";
import { CopyText } from "~/ui/copy";
import { RunDiff } from "~/ui/diff/run-diff";
import { MissingRight } from "~/ui/missing-right";
import { OwnerLink, useOwners } from "~/ui/owner-link";
import { Facts, Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { Supplies } from "./supplies";
import { push, runRepoKey, runRepoQuery } from "./queries";
import { commitsWord, filesWord, stepNote } from "./words";

const short = (commit: string) => commit.slice(0, 12);

function Push({ run, branch }: { run: string; branch: RunBranch }) {
  const client = useQueryClient();
  const pushing = useMutation({
    mutationFn: () => push(run, { branch: branch.branch, commit: branch.commit }),
    onSettled: () => client.invalidateQueries({ queryKey: runRepoKey(run) }),
  });
  return (
    <>
      {!branch.pushed_at && (
        <Button
          look="primary"
          busy={pushing.isPending}
          icon={<ArrowUpFromLine size={14} aria-hidden />}
          onClick={() => pushing.mutate()}
        >
          Push branch
        </Button>
      )}
      <div role="status" className="basis-full">
        {pushing.data?.commit === branch.commit && (
          <p className="text-fg-2">
            {pushing.data.unchanged
              ? "The code host had this commit already."
              : "The code host has the branch now."}
          </p>
        )}
        {pushing.isError && <ProblemNote problem={asProblem(pushing.error)} />}
      </div>
    </>
  );
}

/** The branch's pull request. The address came from the code host, so its host is said. */
function PullLink({ url }: { url: string | null | undefined }) {
  const page = url && URL.canParse(url) ? new URL(url) : undefined;
  if (!page || !/^https?:$/.test(page.protocol)) return null;
  return (
    <a href={page.href} target="_blank" rel="noopener noreferrer" className={textLink}>
      Pull request on <bdi>{page.host}</bdi>
      <span className="sr-only"> (opens another tab)</span>
    </a>
  );
}

interface BranchProps {
  run: string;
  branch: RunBranch;
  mayPush: boolean;
  hasHost: boolean;
  /** Whether the changed files are shown without a click. */
  shown: boolean;
}

function Branch({ run, branch, mayPush, hasHost, shown }: BranchProps) {
  const [chosen, setChosen] = useState<boolean>();
  // The changed files are what came of a run that has ended, so they are shown until somebody hides them.
  const open = chosen ?? shown;
  const owner = { kind: branch.owner_kind, id: branch.owner_id };
  const name = useOwners()(owner.id)?.name;
  return (
    <section aria-label={visible(branch.branch)} className="border-t border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <CopyText text={branch.branch} what="branch" />
        {hasHost && (
          <Status
            tone={branch.pushed_at ? "done" : "idle"}
            word={branch.pushed_at ? "pushed" : "not pushed"}
          />
        )}
        <PullLink url={branch.pull_url} />
        <span className="text-fg-3">
          {commitsWord(branch.commits)}, {filesWord(branch.files)}, <Ago at={branch.received_at} />
          {name && (
            <>
              , from the sandbox of{" "}
              <OwnerLink owner={owner} part="sandbox" className={textLink}>
                <bdi>{visible(name)}</bdi>
              </OwnerLink>
            </>
          )}
        </span>
        <span className="grow" />
        <Button
          icon={<FileDiff size={14} aria-hidden />}
          aria-expanded={open}
          onClick={() => setChosen(!open)}
        >
          {open ? "Hide changed files" : "Show changed files"}
        </Button>
        <a
          className={buttonClass()}
          href={url("/api/runs/{id}/repo/archive", { branch: branch.branch }, { id: run })}
          download
        >
          <Download size={14} aria-hidden />
          Download the files
        </a>
        {mayPush && <Push run={run} branch={branch} />}
      </div>
      <ol aria-label={`Commits of ${visible(branch.branch)}`} className="px-4 pb-3">
        {branch.newest.map((commit) => (
          <li key={commit.commit} className="flex min-w-0 gap-3">
            <code className="text-fg-3">{short(commit.commit)}</code>
            <bdi className="truncate" title={visible(commit.subject)}>
              {visible(commit.subject)}
            </bdi>
            <bdi className="ml-auto shrink-0 text-fg-3 max-sm:hidden">{visible(commit.author)}</bdi>
          </li>
        ))}
        {branch.commits > branch.newest.length && (
          <li className="text-fg-3">and {number(branch.commits - branch.newest.length)} earlier ones</li>
        )}
      </ol>
      {open && <RunDiff run={run} branch={branch.branch} commit={branch.commit} />}
    </section>
  );
}

/** What did not come out of the sandboxes, and why. */
function Notes({ repo }: { repo: RunRepository }) {
  const notes = repo.steps.flatMap((step) => {
    const note = stepNote(step);
    return note ? [{ key: `${step.run_id} ${step.step}`, note, bad: Boolean(step.refused) }] : [];
  });
  if (notes.length === 0) return null;
  return (
    <ul aria-label="What stayed in the sandboxes" className="border-t border-line px-4 py-3">
      {notes.map(({ key, note, bad }) => (
        <li key={key} className="break-words">
          <Status tone={bad ? "failed" : "idle"} word={visible(note)} />
        </li>
      ))}
    </ul>
  );
}

/** The repository that a run works on: where it began, the commits that came back, and their way to the code host. */
export function Repository({ run, ended }: { run: string; ended: boolean }) {
  const repo = useQuery(runRepoQuery(run));
  const mayPush = useMay()("runs.push");
  if (repo.isPending) return <Loading what="the repository" rows={3} />;
  if (!repo.data) return <Failed error={repo.error} retry={() => void repo.refetch()} className="" />;
  const { full_name, repo_id, upload_id, html_url, base, base_commit, branches } = repo.data;
  const hasHost = !upload_id;
  return (
    <Panel
      title={branches.length > 0 ? "Changes" : "Repository"}
      aside={commitsWord(branches.reduce((sum, { commits }) => sum + commits, 0))}
    >
      <Stale query={repo} />
      <Facts
        items={[
          [
            "Name",
            html_url && repo_id ? (
              <Link key="name" to="/repos/$id" params={{ id: repo_id }} className={textLink}>
                <bdi>{visible(full_name)}</bdi>
              </Link>
            ) : (
              <span key="name">
                <bdi>{visible(full_name)}</bdi>{" "}
                {hasHost ? "(removed from the workspace)" : "(uploaded files, without a code host)"}
              </span>
            ),
          ],
          [
            "Begins at",
            <span key="base">
              <bdi>{visible(base ?? (hasHost ? "the default branch" : "the files as they were sent"))}</bdi>
              {base_commit && <code className="ml-2 text-fg-3">{short(base_commit)}</code>}
            </span>,
          ],
        ]}
      />
      <Supplies of={repo.data.supplies} />
      {branches.map((branch) => (
        <Branch
          key={branch.branch}
          run={run}
          branch={branch}
          mayPush={mayPush && hasHost}
          hasHost={hasHost}
          shown={ended && branches.length === 1}
        />
      ))}
      {branches.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-fg-3">
          No commits yet. They arrive after each step that made some.
        </p>
      )}
      <Notes repo={repo.data} />
      {branches.length > 0 && hasHost && !mayPush && <MissingRight what="push branches" least="member" />}
    </Panel>
  );
}
