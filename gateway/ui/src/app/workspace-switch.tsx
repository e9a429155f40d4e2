import { ChevronsUpDown } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { asProblem } from "~/api/problem";
import type { Me } from "~/api/types";
import { later } from "~/live/arriving";
import { useSwitchWorkspace } from "./workspace";

const NewWorkspace = later(async () => (await import("./new-workspace")).NewWorkspace);
const SiblingList = later(async () => (await import("./going")).SiblingList);

/** Which workspace everything on the page is about, and the way to another one, by name. */
export function WorkspaceSwitch({ me, pushes }: { me: Me; pushes: boolean }) {
  const [open, setOpen] = useState<"list" | "new">();
  const box = useRef<HTMLDivElement>(null);
  const go = useSwitchWorkspace();
  const name = me.workspaces.find(({ id }) => id === go.variables && go.isPending)?.name ?? me.workspace.name;
  const opener = () => box.current?.querySelector("button")?.focus();
  const close = () => {
    // Back to the opener, unless somebody has gone elsewhere with the pointer.
    const focus = document.activeElement;
    if (focus === document.body || box.current?.contains(focus)) opener();
    setOpen(undefined);
  };
  return (
    <div ref={box} className="relative">
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={open === "list"}
        disabled={go.isPending}
        onClick={() => (open ? close() : setOpen("list"))}
        className="flex h-8 w-full items-center gap-2 rounded-control border border-line-strong/60 bg-surface px-1.5 hover:border-line-strong pointer-coarse:h-11"
      >
        <span
          aria-hidden
          className="flex size-5 shrink-0 items-center justify-center rounded-control bg-accent text-micro text-on-accent uppercase"
        >
          {[...name.trim()][0]}
        </span>
        <span className="sr-only">Workspace </span>
        <bdi className="truncate font-[550]" title={name}>
          {name}
        </bdi>
        <ChevronsUpDown size={13} aria-hidden className="ml-auto shrink-0 text-fg-3" />
      </button>
      {go.isError && (
        <p role="alert" className="mt-1 text-small text-failed">
          {asProblem(go.error).message}
        </p>
      )}
      <Suspense>
        {open === "list" && (
          <SiblingList
            me={me}
            level="workspace"
            label="Choose a workspace"
            onWorkspace={(id) => go.mutate(id)}
            pushes={pushes}
            onNew={() => {
              // A focus that vanishes with the list would count as a look elsewhere, and close the dialog.
              opener();
              setOpen("new");
            }}
            onClose={close}
          />
        )}
        {open === "new" && (
          <NewWorkspace onClose={() => setOpen(undefined)} onMade={(id) => go.mutateAsync(id)} />
        )}
      </Suspense>
    </div>
  );
}
