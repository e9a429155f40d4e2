import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import type { Me } from "~/api/types";
import { Dialog } from "~/ui/dialog-frame";
import { PickList, type Choice } from "../pick/pick-list";
import { thingsOf, useThings, type Thing } from "../siblings";
import { useSwitchWorkspace } from "../workspace";
import { pageActions, placeEntries, settingEntries, thingEntries, workspaceEntries } from "./entries";
import { recent, remember } from "./recent";
import { madeEntries } from "./made";
import { workEntries } from "./work";

/** Teams, missions and runs, and then skills, templates and routines by name, as soon as they have come. */
function useWork(me: Me, go: (path: string) => void): { work: Choice[]; loading: boolean } {
  const client = useQueryClient();
  const [work, setWork] = useState<Choice[]>();
  useEffect(() => {
    let over = false;
    void Promise.all([workEntries(client, me, go), madeEntries(client, me, go)]).then(
      (found) => !over && setWork(found.flat()),
    );
    return () => {
      over = true;
    };
    // The function changes with every drawing; what it does does not.
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [client, me]);
  return { work: work ?? [], loading: work === undefined };
}

/** Agents and machines by name: at once where a page has asked for them, else as soon as they have come. */
function useAll(): { things: Thing[]; loading: boolean } {
  const client = useQueryClient();
  const [things, setThings] = useState<Thing[]>([]);
  const [waiting, setWaiting] = useState(2);
  useEffect(() => {
    let over = false;
    for (const kind of ["agent", "node"] as const)
      void thingsOf(client, kind)
        // A list that cannot be had leaves its things out; everything else still works.
        .catch((): Thing[] => [])
        .then((found) => {
          if (over) return;
          setThings((before) => [...before, ...found]);
          setWaiting((before) => before - 1);
        });
    return () => {
      over = true;
    };
  }, [client]);
  return { things, loading: waiting > 0 };
}

/** Places, things, actions and settings by name. */
export function Palette({ me, onClose }: { me: Me; onClose: () => void }) {
  const router = useRouter();
  const { go: goThing } = useThings();
  const change = useSwitchWorkspace();
  const { things, loading } = useAll();
  const { work, loading: working } = useWork(me, (path) => router.history.push(path));
  const [lately] = useState(recent);
  // Read before the palette covers them.
  const [actions] = useState(() => pageActions());
  const entries = useMemo(() => {
    const go = {
      to: (path: string) => router.history.push(path),
      thing: goThing,
      workspace: (id: string) => change.mutate(id),
    };
    const here = router.state.location.pathname;
    return [
      ...actions,
      // What the page offers itself stands above already.
      ...placeEntries(me, here, go).filter(({ label }) => !actions.some((action) => action.label === label)),
      ...workspaceEntries(me, go),
      ...settingEntries(),
      ...thingEntries(things, go.thing),
      ...work,
    ];
    // The functions change with every drawing; what they do does not.
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies
  }, [actions, me, things, work]);
  const [picked, setPicked] = useState<Choice>();
  return (
    <Dialog.Root
      open={!picked}
      onOpenChange={(open) => !open && onClose()}
      // An action may open a dialog of its own; only one of them can hold the focus.
      onOpenChangeComplete={(open) => {
        if (open) return;
        onClose();
        picked?.run();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay-in fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          aria-label="Go anywhere, do anything"
          className="overlay-in fixed top-[10vh] left-1/2 z-50 flex max-h-[min(560px,80vh)] w-[min(100vw-24px,600px)] -translate-x-1/2 flex-col rounded-panel border border-line bg-raised shadow-float outline-none"
        >
          <PickList
            label="Search places, agents, teams, runs, missions, skills, actions"
            entries={entries}
            recent={lately}
            loading={loading || working}
            none="No results. Type the name of a place, an action, or anything in this workspace."
            onPick={(entry) => {
              // What a page offers belongs to that page alone.
              if (!entry.id.startsWith("action:")) remember(entry.id);
              setPicked(entry);
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
