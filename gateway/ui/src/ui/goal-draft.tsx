// Goals that are typed and not started yet: the tab keeps them, so neither Escape nor another page loses one. And the button
// of a page's bar that leads to the box for a goal.
import { useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { create } from "zustand";
import { meQuery } from "~/api/me";
import type { Me } from "~/api/types";
import { Button } from "./button";

/** The box of a goal. `next-team` holds the goal that a new team begins with. */
export type GoalPlace = "home" | "next-team" | `team:${string}` | `agent:${string}`;

/** Where the browser keeps nothing (a private window may refuse), it lives as long as the page. */
const here = new Map<string, string>();

/** The kept goals of one person in one workspace. */
export class GoalDrafts {
  constructor(private readonly of: string) {}

  private key(place: GoalPlace) {
    return `roost-goal/${this.of}/${place}`;
  }

  read(place: GoalPlace): string {
    const key = this.key(place);
    try {
      return sessionStorage.getItem(key) ?? here.get(key) ?? "";
    } catch {
      return here.get(key) ?? "";
    }
  }

  /** An empty text removes it. */
  write(place: GoalPlace, text: string): void {
    const key = this.key(place);
    const kept = text.trim() !== "";
    if (kept) here.set(key, text);
    else here.delete(key);
    try {
      if (kept) sessionStorage.setItem(key, text);
      else sessionStorage.removeItem(key);
    } catch {
      // Full or forbidden: the page's own copy is enough until it is closed.
    }
  }

  /** The goal of Home goes to a team that is made now. A team that is made some other way begins without one. */
  carry(): void {
    this.write("next-team", this.read("home"));
  }

  /** The team is there: its box has the goal, and Home's box is free again. */
  arrive(team: string): void {
    const text = this.read("next-team");
    if (text === "") return;
    this.write(`team:${team}`, text);
    this.started(text);
  }

  /** A goal that was started is kept nowhere any more, except in the box of another team or agent. */
  started(text: string): void {
    for (const place of ["home", "next-team"] as const)
      if (this.read(place).trim() === text.trim()) this.write(place, "");
  }
}

const draftsOf = (me: Me | undefined) => new GoalDrafts(me ? `${me.user.id}/${me.workspace.id}` : "nobody");

/** The shell has asked who the person is before it draws a page. */
export const useGoalDrafts = () => draftsOf(useQuery(meQuery).data);

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
