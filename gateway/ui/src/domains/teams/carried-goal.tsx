import { X } from "lucide-react";
import { useState } from "react";
import { Button } from "~/ui/button";
import { useGoalDrafts } from "~/ui/goal-draft";
import { visible } from "~/ui/visible";

/** The goal that a person has typed before the team. The page of the new team has it in its box. */
export function CarriedGoal() {
  const goals = useGoalDrafts();
  const [text, setText] = useState(() => goals.read("next-team"));
  if (text === "") return null;
  return (
    <section
      aria-label="Goal of the new team"
      className="flex items-start justify-between gap-3 rounded-panel border border-line bg-surface px-4 py-3"
    >
      <div className="min-w-0">
        <p className="line-clamp-3 break-words">
          <span className="text-fg-2">Goal:</span> <bdi>{visible(text)}</bdi>
        </p>
        <p className="text-small text-fg-3">
          The page of the new team opens with this goal. Nothing starts by itself.
        </p>
      </div>
      <Button
        look="quiet"
        icon={<X size={14} aria-hidden />}
        onClick={() => {
          goals.write("next-team", "");
          setText("");
        }}
      >
        Without this goal
      </Button>
    </section>
  );
}
