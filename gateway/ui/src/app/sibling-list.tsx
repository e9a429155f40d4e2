import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Plus } from "lucide-react";
import type { Me } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import type { Level } from "./crumb-menu";
import { thingEntries } from "./palette/entries";
import { PickList, type Choice } from "./pick/pick-list";
import { allowed, GROUPS, placeOf } from "./places";
import { useThings, type Thing } from "./siblings";
import { useSwitchWorkspace } from "./workspace";
import { WORDS } from "./palette/place-words";

interface Props {
  me: Me;
  level: Level;
  label: string;
  onClose: () => void;
  /** Enters a workspace. Its owner outlives this list, so it can say what went wrong. */
  onWorkspace?: ((id: string) => void) | undefined;
  onNew?: () => void;
  /** Moves what is below it down, where covering it would leave halves of links. */
  pushes?: boolean;
}

/** What can be chosen: known at once for places and workspaces, asked for once for things. */
function useChoices(
  me: Me,
  level: Level,
  onWorkspace: Props["onWorkspace"],
): { choices: Choice[]; state: "here" | "loading" | "failed" } {
  const router = useRouter();
  const { at, load, go } = useThings();
  const change = useSwitchWorkspace();
  const [things, setThings] = useState<Thing[]>();
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (level === "thing" && at) load(at.kind).then(setThings, () => setFailed(true));
    // Asked once, when it opens.
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies
  }, []);
  if (level === "workspace") {
    const choices = me.workspaces.map((one) => ({
      id: one.id,
      group: "Workspaces",
      label: one.name,
      here: one.id === me.workspace.id,
      run: () => one.id !== me.workspace.id && (onWorkspace ?? change.mutate)(one.id),
    }));
    return { choices, state: "here" };
  }
  if (level === "place") {
    const current = placeOf(router.state.location.pathname);
    const choices = GROUPS.flatMap(({ label, places }) =>
      allowed(places, me).map((place) => ({ place, group: label })),
    ).map(({ place, group }) => ({
      id: place.to,
      group,
      label: place.label,
      icon: place.icon,
      words: WORDS[place.to],
      here: place === current,
      run: () => void router.navigate({ to: place.to }),
    }));
    return { choices, state: "here" };
  }
  const choices = thingEntries(things ?? [], go).map((entry) => ({
    ...entry,
    here: entry.id === `${at?.kind}:${at?.id}`,
  }));
  return { choices, state: failed ? "failed" : things ? "here" : "loading" };
}

/** Lists what is beside a crumb, below it. Escape, a choice or a look elsewhere closes it. */
export function SiblingList({ me, level, label, onClose, onWorkspace, onNew, pushes }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { choices, state } = useChoices(me, level, onWorkspace);
  useEffect(() => box.current?.querySelector("input")?.focus(), []);
  return (
    // The field inside takes the keys; Escape bubbles up to here.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={box}
      role="dialog"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The opener closes it by itself.
        if (!currentTarget.parentElement?.contains(relatedTarget)) onClose();
      }}
      className={cx(
        "mt-1 flex max-h-[min(420px,70vh)] flex-col rounded-panel border border-line bg-raised outline-none",
        !pushes && "absolute top-full left-0 z-30 w-[min(340px,100vw-24px)] shadow-float max-rail:left-3",
      )}
    >
      <PickList
        label={label}
        entries={choices}
        fromHere
        loading={state === "loading"}
        none={state === "failed" ? "The gateway did not answer. Close this and try again." : "No results."}
        onPick={(entry) => {
          onClose();
          entry.run();
        }}
      />
      {onNew && (
        <p className="border-t border-line p-1.5">
          <Button look="quiet" icon={<Plus size={15} aria-hidden />} onClick={onNew}>
            New workspace
          </Button>
        </p>
      )}
    </div>
  );
}
