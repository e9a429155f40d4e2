import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { Choice } from "~/ui/field";
import { MissingRight } from "~/ui/missing-right";
import { NarrowFold } from "~/ui/fold";
import { Failed, ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import {
  type FilePolicy,
  type PushPolicy,
  setSettings,
  type Settings,
  settingsQuery,
  type WorkflowPolicy,
  type Workspace,
} from "./queries";

/** What a setting is called, what it asks, and its choices. */
interface Words<T extends string> {
  /** Of its fold in an address. */
  id: string;
  title: string;
  asks: string;
  hint: string;
  choices: Record<T, string>;
}

const PUSHES: Words<PushPolicy> = {
  id: "pushes",
  title: "Pushes of agents",
  asks: "When an agent asks to push its branch",
  hint: "Only branches below roost/ are pushed, never over other commits, and never the default branch. A pull request always needs a person.",
  choices: { ask: "Ask a person each time", allow: "Push at once" },
};

const WORKFLOWS: Words<WorkflowPolicy> = {
  id: "workflows",
  title: "Workflow files",
  asks: "When a commit of an agent changes what the code host runs",
  hint: "These are .github/workflows, those of Gitea and Forgejo, and .gitlab-ci.yml. Once they are pushed, the code host runs them with its own secrets. Together with pushes at once, agents can run programs there without a person.",
  choices: { refuse: "Keep the commit in the sandbox", allow: "Take it as other commits" },
};

const FILES: Words<FilePolicy> = {
  id: "files",
  title: "Saved files",
  asks: "When a machine has saved the files of a sandbox",
  hint: "Files that stay on their machine are lost with it. Another machine cannot restore them, and this page cannot show them. What the gateway has already stays there until its retention ends.",
  choices: {
    upload: "Send them to the gateway too",
    stay: "Keep them on that machine only",
  },
};

/** What was chosen, in a version of the workspace. */
interface Version<T> {
  policy: T;
  version: number;
}

interface Chosen<T extends string> {
  read: () => Promise<Version<T>>;
  workspace: string;
  words: Words<T>;
  present: Version<T>;
  change: (wanted: T) => Settings;
}

const draftOf = <T extends string>({ policy }: Version<T>) => ({ policy });

function Form<T extends string>({ workspace, words, present, change, read }: Chosen<T>) {
  const client = useQueryClient();
  const edit = useEdit(present, draftOf<T>, { read });
  const wanted = edit.draft.policy;
  const save = useMutation({
    mutationFn: () => edit.send((to, { version }) => setSettings(workspace, change(to.policy), version)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.workspace(workspace) }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Choice
        label={words.asks}
        value={wanted}
        onChange={(event) => edit.set({ policy: event.target.value as T })}
        hint={words.hint}
      >
        {Object.entries<string>(words.choices).map(([policy, text]) => (
          <option key={policy} value={policy}>
            {text}
          </option>
        ))}
      </Choice>
      {save.isError && !edit.clash && <ProblemNote problem={asProblem(save.error)} />}
      <ClashPart
        clash={edit.clash}
        what="setting"
        id={workspace}
        labels={{ policy: words.asks }}
        words={(_, { policy }) => words.choices[policy]}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          edit.take();
        }}
      />
      <div>
        <Button
          type="submit"
          busy={save.isPending}
          disabled={wanted === present.policy || edit.clash !== undefined}
        >
          Save
        </Button>
      </div>
    </form>
  );
}

function Setting<T extends string>({
  workspace,
  words,
  of,
  change,
}: Omit<Chosen<T>, "present" | "read"> & { of: (settings: Required<Settings>) => T }) {
  const settings = useQuery(settingsQuery(workspace));
  const may = useMay();
  const versioned = (now: Workspace): Version<T> => ({ policy: of(now), version: now.version });
  const present = settings.data && versioned(settings.data);
  const client = useQueryClient();
  const read = async () => versioned(await client.fetchQuery({ ...settingsQuery(workspace), staleTime: 0 }));
  return (
    <NarrowFold id={words.id} title={words.title} summary={present && words.choices[present.policy]}>
      <div className="flex flex-col gap-3 p-4">
        {settings.isPending && <Loading what="the setting" rows={1} className="" />}
        {settings.isError && !settings.data && (
          <Failed error={settings.error} retry={() => void settings.refetch()} className="" />
        )}
        {present !== undefined &&
          (may("workspace.change") ? (
            <Form {...{ workspace, words, present, change }} read={read} />
          ) : (
            <>
              <p className="text-fg-2">{words.choices[present.policy]}</p>
              <MissingRight what="change this" least="admin" />
            </>
          ))}
      </div>
    </NarrowFold>
  );
}

/** Whether agents push their branches without a decision. */
export const WorkspacePushes = ({ workspace }: { workspace: string }) => (
  <Setting
    workspace={workspace}
    words={PUSHES}
    of={(settings) => settings.push_policy}
    change={(push_policy) => ({ push_policy })}
  />
);

/** Whether commits of agents may change what the code host runs. */
export const WorkspaceWorkflows = ({ workspace }: { workspace: string }) => (
  <Setting
    workspace={workspace}
    words={WORKFLOWS}
    of={(settings) => settings.workflow_policy}
    change={(workflow_policy) => ({ workflow_policy })}
  />
);

/** Whether machines send the saved files of sandboxes to the gateway. */
export const WorkspaceFiles = ({ workspace }: { workspace: string }) => (
  <Setting
    workspace={workspace}
    words={FILES}
    of={(settings) => settings.file_policy}
    change={(file_policy) => ({ file_policy })}
  />
);
