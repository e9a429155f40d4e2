import { Tick } from "~/ui/field";
import { NarrowFold } from "~/ui/fold";
import { prefer, usePreferences } from "~/ui/preferences";

export function Keys() {
  const single = usePreferences((state) => state.singleKeys);
  return (
    <NarrowFold id="keyboard" title="Keyboard" summary={single ? "Single keys" : "Ctrl K only"}>
      <div className="p-4">
        <Tick
          label="Single-key shortcuts"
          hint="Such as / for the filter, j and k for rows, g f for the fleet; ? lists all. They do not work in fields and terminals. Ctrl K always works."
          checked={single}
          onChange={(event) => prefer({ singleKeys: event.target.checked })}
        />
      </div>
    </NarrowFold>
  );
}
