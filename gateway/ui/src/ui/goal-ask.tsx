// "Give work" in the bar of a team or an agent leads to its box for a goal, wherever that is on the page.
import { Play } from "lucide-react";
import { create } from "zustand";
import { Button } from "./button";

/** Whether somebody has asked for the box. The box that is there next takes the focus. */
export const useGoalAsked = create<{ asked: boolean }>(() => ({ asked: false }));

export function GiveWorkButton({
  onShow,
}: {
  /** Opens the part of the page that has the box. */ onShow: () => void;
}) {
  return (
    <Button
      look="primary"
      icon={<Play size={14} aria-hidden />}
      onClick={() => {
        useGoalAsked.setState({ asked: true });
        onShow();
      }}
    >
      Give work
    </Button>
  );
}
