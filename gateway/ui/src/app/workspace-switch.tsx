import { Plus } from "lucide-react";
import { Suspense, useState } from "react";
import { asProblem } from "~/api/problem";
import type { Me } from "~/api/types";
import { later } from "~/live/arriving";
import { IconButton } from "~/ui/button";
import { inputClass } from "~/ui/input-class";
import { useSwitchWorkspace } from "./workspace";

const NewWorkspace = later(async () => (await import("./new-workspace")).NewWorkspace);

/** Which workspace everything on the page is about, and the way to another one. */
export function WorkspaceSwitch({ me }: { me: Me }) {
  const [making, setMaking] = useState(false);
  const go = useSwitchWorkspace();
  return (
    <div>
      <div className="flex items-center gap-1">
        <select
          aria-label="Workspace"
          className={`${inputClass} h-8 min-w-0 flex-1 pr-0 pl-1.5 text-ellipsis`}
          value={go.isPending ? go.variables : me.workspace.id}
          disabled={go.isPending}
          onChange={(event) => go.mutate(event.target.value)}
        >
          {me.workspaces.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
        <IconButton label="New workspace" onClick={() => setMaking(true)}>
          <Plus size={16} aria-hidden />
        </IconButton>
      </div>
      {go.isError && (
        <p role="alert" className="mt-1 text-small text-failed">
          {asProblem(go.error).message}
        </p>
      )}
      {making && (
        <Suspense>
          <NewWorkspace onClose={() => setMaking(false)} onMade={(id) => go.mutateAsync(id)} />
        </Suspense>
      )}
    </div>
  );
}
