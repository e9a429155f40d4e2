import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem, type Problem } from "~/api/problem";
import { templateQuery, type TeamTemplate, type TemplateRole } from "~/api/teams";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { DiffView } from "~/ui/diff/diff-view";
import { Area, Choice, Field, Tick } from "~/ui/field";
import { LeaveGuard } from "~/ui/leave-guard";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { ImageChoice } from "~/ui/sandbox-choice";
import {
  BUNDLE_NAMES,
  bundleName,
  imageName,
  NEED_NAMES,
  needName,
  PROFILE_NAMES,
  profileSays,
} from "~/ui/template-words";
import { KIND_NAMES } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { contentOf, moved, newRole, textOf, type TemplateContent } from "./content";
import { EditRole } from "./edit-role";
import { write } from "./queries";

type Need = NonNullable<TemplateContent["needs"]>[number];

/** What belongs to the whole team. */
function About({
  draft,
  saved,
  problem,
  set,
}: {
  draft: TemplateContent;
  /** The image of the version that is being edited. */
  saved: string | null | undefined;
  problem: Problem | undefined;
  set: (more: Partial<TemplateContent>) => void;
}) {
  return (
    <div className="grid gap-4 px-4 py-3 sm:grid-cols-2">
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={draft.name}
        error={problem?.field("/name")}
        onChange={(event) => set({ name: event.target.value })}
      />
      <Choice
        label="How they work together"
        value={draft.default_topology}
        error={problem?.field("/default_topology")}
        onChange={(event) => set({ default_topology: event.target.value })}
      >
        {KIND_NAMES.map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </Choice>
      <Area
        label="What it is for"
        rows={3}
        maxLength={1000}
        value={draft.description}
        error={problem?.field("/description")}
        onChange={(event) => set({ description: event.target.value })}
      />
      <Choice
        label="What they may do"
        value={draft.risk_profile}
        hint={profileSays(draft.risk_profile)}
        error={problem?.field("/risk_profile")}
        onChange={(event) => set({ risk_profile: event.target.value })}
      >
        {PROFILE_NAMES.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Choice>
      <ImageChoice
        label="Image of their sandboxes"
        value={draft.image ?? null}
        saved={saved ?? null}
        inherited={`No own image: ${imageName(null)}`}
        error={problem?.field("/image")}
        onChange={(image) => set({ image })}
      />
      <fieldset className="flex flex-col gap-y-2">
        <legend className="mb-1 text-small font-[550] text-fg-2">They also need</legend>
        {NEED_NAMES.map(({ value, label }) => (
          <Tick
            key={value}
            label={label}
            checked={draft.needs?.includes(value as Need) ?? false}
            onChange={(event) =>
              set({
                needs: event.target.checked
                  ? [...(draft.needs ?? []), value as Need]
                  : (draft.needs ?? []).filter((one) => one !== value),
              })
            }
          />
        ))}
      </fieldset>
      <fieldset className="flex flex-wrap gap-x-6 gap-y-2 sm:col-span-2">
        <legend className="mb-1 text-small font-[550] text-fg-2">They may</legend>
        {BUNDLE_NAMES.map(({ value, label }) => (
          <Tick
            key={value}
            label={label}
            checked={draft.mcp_bundles.includes(value)}
            onChange={(event) =>
              set({
                mcp_bundles: event.target.checked
                  ? [...draft.mcp_bundles, value]
                  : draft.mcp_bundles.filter((one) => one !== value),
              })
            }
          />
        ))}
      </fieldset>
    </div>
  );
}

/** A role with what tells it from the others while they are moved and renamed. */
interface Kept {
  id: number;
  role: TemplateRole;
}

/** Who is in the team, in the order of their work. */
function Roles({
  roles,
  problem,
  set,
}: {
  roles: Kept[];
  problem: Problem | undefined;
  set: (roles: Kept[]) => void;
}) {
  const change = (id: number, more: Partial<TemplateRole>) =>
    set(roles.map((one) => (one.id === id ? { id, role: { ...one.role, ...more } } : one)));
  const add = () => {
    const id = Math.max(-1, ...roles.map((one) => one.id)) + 1;
    set([...roles, { id, role: newRole(roles.map(({ role }) => role)) }]);
  };
  return (
    <Panel title="Roles" aside="in the order of their work">
      <ol>
        {roles.map(({ id, role }, at) => (
          <EditRole
            key={id}
            role={role}
            at={at}
            count={roles.length}
            problem={problem}
            change={(more) => change(id, more)}
            move={(by) => set(moved(roles, at, by))}
            remove={() => set(roles.filter((one) => one.id !== id))}
          />
        ))}
      </ol>
      <p className="border-t border-line px-4 py-3">
        <Button icon={<Plus size={14} aria-hidden />} onClick={add}>
          Add a role
        </Button>
      </p>
    </Panel>
  );
}

const LABELS = {
  name: "Name",
  description: "What it is for",
  category: "Category",
  stack: "Stack",
  default_topology: "How they work together",
  risk_profile: "What they may do",
  mcp_bundles: "They may",
  image: "Image of their sandboxes",
  needs: "They also need",
  roles: "Roles",
};

interface TemplateDraft extends Omit<TemplateContent, "roles"> {
  roles: Kept[];
}

const draftOf = (template: TeamTemplate): TemplateDraft => {
  const { roles, ...rest } = contentOf(template);
  return { ...rest, roles: roles.map((role, id) => ({ id, role })) };
};
const contentIn = ({ roles, ...rest }: TemplateDraft): TemplateContent => ({
  ...rest,
  roles: roles.map(({ role }) => role),
});

/** A field in words: as its choice says it, and the roles as their text. */
function say(key: keyof TemplateDraft, of: TemplateDraft): string {
  const content = contentIn(of);
  const whole = textOf({ ...content, name: "", description: "" });
  switch (key) {
    case "roles":
      return whole.slice(whole.indexOf("\n## ") + 1);
    case "default_topology":
      return KIND_NAMES.find(([kind]) => kind === of.default_topology)?.[1] ?? of.default_topology;
    case "risk_profile":
      return PROFILE_NAMES.find(({ value }) => value === of.risk_profile)?.label ?? of.risk_profile;
    case "mcp_bundles":
      return of.mcp_bundles.map(bundleName).join(", ");
    case "needs":
      return (of.needs ?? []).map(needName).join(", ");
    case "image":
      return imageName(of.image);
    default:
      return of[key] ?? "";
  }
}

/** The next version of a template of the workspace's own. */
export function EditTemplate({ template, onDone }: { template: TeamTemplate; onDone: () => void }) {
  const client = useQueryClient();
  const edit = useEdit(template, draftOf, {
    read: () => client.fetchQuery({ ...templateQuery(template.id), staleTime: 0 }),
  });
  const { draft } = edit;
  const [compare, setCompare] = useState(false);
  const content = useMemo(() => contentIn(draft), [draft]);
  const save = useMutation({
    mutationFn: () => edit.send((to, from) => write(template.id, contentIn(to), from.version)),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.templates });
      onDone();
    },
  });
  const problem = save.isError ? asProblem(save.error) : undefined;
  const [before, after] = [textOf(contentOf(template)), textOf(content)];
  const dirty = before !== after;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Write a new version" className="flex flex-col gap-4">
      <Panel
        title={`Version ${template.version + 1}`}
        aside="Agents that exist stay as they are until they are upgraded."
      >
        <About
          draft={content}
          saved={template.image.kind}
          problem={problem}
          set={({ roles: _roles, ...more }) => edit.set(more)}
        />
      </Panel>
      <Roles roles={draft.roles} problem={problem} set={(roles) => edit.set({ roles })} />
      <ClashPart
        clash={edit.clash}
        what="template"
        id={template.id}
        labels={LABELS}
        words={say}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          edit.take();
        }}
      />
      {problem && !edit.clash && (
        <ProblemNote problem={problem}>
          <ul className="list-disc pl-5 text-fg-2">
            {problem.fields.map(({ pointer, detail }) => (
              <li key={pointer}>
                {pointer}: {visible(detail)}
              </li>
            ))}
          </ul>
        </ProblemNote>
      )}
      {compare && (
        <Panel title="What changes">
          <DiffView before={before} after={after} label={`Your text against version ${template.version}`} />
        </Panel>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={!dirty || edit.clash !== undefined}
        >
          Save as version {template.version + 1}
        </Button>
        <Button disabled={!dirty} aria-expanded={compare} onClick={() => setCompare(!compare)}>
          {compare ? "Hide changes" : "Show changes"}
        </Button>
        <Button onClick={onDone}>{dirty ? "Discard changes" : "Stop editing"}</Button>
        <span role="status" className="text-small text-fg-3">
          {dirty && "Not saved yet"}
        </span>
      </div>
      <LeaveGuard
        dirty={dirty && !save.isPending && !save.isSuccess}
        title="Leave without saving?"
        consequence="The new version is not saved yet."
      />
    </form>
  );
}
