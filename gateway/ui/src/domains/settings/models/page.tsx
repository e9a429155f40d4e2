import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useMay } from "~/api/may";
import { modelsQuery } from "~/api/models";
import { QueryView } from "~/ui/query-view";
import { Button } from "~/ui/button";
import { GuideLink } from "~/ui/guide-link";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { Panel } from "~/ui/panel";
import { SettingsFrame, type Part } from "../frame";
import { Ceilings } from "./ceilings";
import { AddModel } from "./add";
import { ModelRow, ScriptedRow } from "./row";

/** The models of the workspace, which of them is the default, and what may be spent on them. */
export function ModelSettings({ parts }: { parts: Part[] }) {
  const models = useQuery(modelsQuery);
  const manages = useMay()("models.manage");
  const [adding, setAdding] = useState(false);
  const [fresh, setFresh] = useState<string>();
  return (
    <SettingsFrame
      parts={parts}
      title="Models"
      lead="The models of this workspace's agents. An agent uses its own model, or else its team's model, or else the default model."
    >
      {!manages && <MissingRight what="add, change or try models" least="admin" />}
      <QueryView query={models} what="models" rows={4}>
        {({ items }) => (
          <>
            {items.length === 0 && (
              <Notice>
                There is no model yet, so agents run a demonstration script.{" "}
                {manages && "Add one, and they use it from their next turn on."}{" "}
                <GuideLink to="models">your own models</GuideLink>
              </Notice>
            )}
            <Panel
              title="Models"
              aside={
                manages && (
                  <span data-page-actions>
                    <Button
                      look="primary"
                      icon={<Plus size={14} aria-hidden />}
                      onClick={() => setAdding(true)}
                    >
                      Add a model
                    </Button>
                  </span>
                )
              }
            >
              <ul>
                {items.map((one) => (
                  <ModelRow key={one.id} model={one} manages={manages} fresh={one.id === fresh} />
                ))}
                <ScriptedRow isDefault={!items.some((one) => one.is_default)} />
              </ul>
            </Panel>
            {adding && (
              <AddModel first={items.length === 0} onTry={setFresh} onClose={() => setAdding(false)} />
            )}
          </>
        )}
      </QueryView>
      <Ceilings manages={manages} />
    </SettingsFrame>
  );
}
