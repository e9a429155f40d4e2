import { Panel } from "~/ui/panel";
import { prefer, usePreferences } from "~/ui/preferences";
import { Radios } from "~/ui/radios";
import { chooseTheme, useTheme } from "~/ui/theme";

/** How the page looks in this browser; each choice counts at once. */
export function Appearance() {
  const theme = useTheme((state) => state.choice);
  const density = usePreferences((state) => state.density);
  return (
    <Panel title="Appearance">
      <div className="flex flex-col gap-5 p-4">
        <Radios
          label="Theme"
          value={theme}
          onChange={chooseTheme}
          options={[
            { value: "system", label: "System" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
        <Radios
          label="Table density"
          value={density}
          onChange={(next) => prefer({ density: next })}
          options={[
            { value: "comfortable", label: "Comfortable" },
            { value: "compact", label: "Compact" },
          ]}
        />
        <p className="text-small text-fg-3">Animations follow the reduced-motion setting of your system.</p>
      </div>
    </Panel>
  );
}
