// A mission that a routine creates: the same three steps as those of a new mission.
import { useState } from "react";
import type { NewMission } from "~/api/missions";
import type { FieldError } from "~/api/problem";
import type { TemplateBrief } from "~/api/teams";
import { bodyOver, draftOfNew, EMPTY, mistakesOf, type Draft } from "./draft";
import { MissionFields, SHOWN } from "./fields";

interface Props {
  from: number;
  /** What the routine creates now. */
  start: NewMission | undefined;
  templates: readonly TemplateBrief[];
  /** Whether somebody has tried to send the form. */
  tried: boolean;
  /** What the gateway refused, with pointers into the mission. */
  errors: readonly FieldError[];
  /** Gets the request, and whether nothing is missing in it. */
  onChange: (mission: NewMission, complete: boolean) => void;
}

/** The mission of a routine. What its steps do not show stays as it is. */
export function MissionRecipe({ from, start, templates, tried, errors, onChange }: Props) {
  const [draft, setDraft] = useState(() => (start ? draftOfNew(start) : EMPTY));
  const found = mistakesOf(draft);
  const set = (change: Partial<Draft>) => {
    const next = { ...draft, ...change };
    setDraft(next);
    onChange(bodyOver(next, start), Object.keys(mistakesOf(next)).length === 0);
  };
  const field = (pointer: string) => errors.find((one) => one.pointer === pointer)?.detail;
  return (
    <MissionFields
      from={from}
      draft={draft}
      set={set}
      problem={{ field }}
      mistakes={tried ? found : {}}
      templates={templates}
    />
  );
}

/** Whether one of the steps shows what is wrong at a pointer into the mission. */
export const isShownOfMission = (pointer: string) => SHOWN.test(pointer);
