// The board of tasks. Agents move a task by markers in what they say.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { MissionDetail, MissionPhase, MissionTask } from "~/api/missions";
import { cx, textLink } from "~/ui/class";
import { NarrowFold } from "~/ui/fold";
import { Segments } from "~/ui/segments";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { phaseName, TASK_STATUSES } from "./words";

type Mark = MissionTask["marks"][number];

/** The part of the run's page that shows the agent of the step. */
const partOf = (step: string) => `agent-${step.replace(/#\d+$/, "")}`;

function MarkLine({ mark }: { mark: Mark }) {
  return (
    <li className={cx("text-small", !mark.applied && "text-fg-3")}>
      <code className="font-mono">{mark.marker}</code> by{" "}
      {mark.agent_id && mark.agent_name ? (
        <Link to="/claws/$id" params={{ id: mark.agent_id }} className={textLink}>
          <bdi>{visible(mark.agent_name)}</bdi>
        </Link>
      ) : (
        "a deleted agent"
      )}{" "}
      in{" "}
      <Link to="/runs/$id" params={{ id: mark.run_id }} hash={partOf(mark.step)} className={textLink}>
        step <bdi>{visible(mark.step)}</bdi>
      </Link>
      , <Ago at={mark.at} />
      {!mark.applied && " (ignored)"}
    </li>
  );
}

const ignoredWord = (count: number) =>
  `${count} ${count === 1 ? "marker was" : "markers were"} ignored: the task was further already.`;

function TaskCard({ task, where }: { task: MissionTask; where: string | undefined }) {
  return (
    <li
      data-task={task.external_id}
      className="flex min-w-0 flex-col gap-1.5 rounded-control border border-line bg-canvas p-2.5"
    >
      <p className="break-words">
        <span className="mr-2 font-mono text-small text-fg-3">{task.external_id}</span>
        {task.title !== task.external_id && <bdi className="font-[550]">{visible(task.title)}</bdi>}
      </p>
      {where && <p className="text-small text-fg-3">{where}</p>}
      {task.body.trim() !== "" && (
        <p className="line-clamp-4 text-small break-words whitespace-pre-wrap text-fg-2" title={task.body}>
          {visible(task.body)}
        </p>
      )}
      {task.marks.length > 0 && (
        <ul className="flex flex-col gap-0.5 border-t border-line pt-1.5" aria-label="Markers">
          {task.marks.map((mark, at) => (
            <MarkLine key={at} mark={mark} />
          ))}
        </ul>
      )}
      {task.ignored_marks > 0 && <p className="text-small text-fg-3">{ignoredWord(task.ignored_marks)}</p>}
    </li>
  );
}

/** "1 working, 2 failed". */
const tasksWord = (tasks: readonly MissionTask[]) =>
  TASK_STATUSES.map(([status, word]) => [tasks.filter((one) => one.status === status).length, word] as const)
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word.toLowerCase()}`)
    .join(", ") || "None";

export function TaskBoard({ mission, phase }: { mission: MissionDetail; phase: MissionPhase | undefined }) {
  const [all, setAll] = useState(false);
  const tasks = mission.tasks.filter((task) => all || task.phase_id === phase?.id);
  const kindOf = (id: string) => mission.phase_details.find((one) => one.id === id)?.kind;
  const where = (task: MissionTask) => {
    const kind = all && kindOf(task.phase_id);
    return kind ? `${phaseName(kind)} phase` : undefined;
  };
  const dropped = mission.phase_details.reduce(
    (sum, one) => sum + (all || one.id === phase?.id ? one.dropped_tasks : 0),
    0,
  );
  return (
    <NarrowFold
      id="tasks"
      title="Tasks"
      summary={tasksWord(tasks)}
      aside={
        <Segments
          label="Tasks of"
          value={all ? "all" : ""}
          options={[
            ["", "This phase"],
            ["all", "All phases"],
          ]}
          onChange={(one) => setAll(one === "all")}
        />
      }
    >
      {tasks.length === 0 ? (
        <p className="px-4 py-3 text-fg-2">
          No tasks here. Agents write down tasks with lines such as <code>TASK: INT-01</code>.
        </p>
      ) : (
        <div
          role="region"
          aria-label="Board of tasks"
          tabIndex={0}
          className="overflow-x-auto focus-visible:-outline-offset-2"
        >
          <div className="grid gap-3 px-4 py-3 sm:min-w-[860px] sm:grid-cols-5">
            {TASK_STATUSES.map(([status, word, tone]) => {
              const here = tasks.filter((task) => task.status === status);
              return (
                <section
                  key={status}
                  aria-label={word}
                  className={cx("flex min-w-0 flex-col gap-2", here.length === 0 && "max-sm:hidden")}
                >
                  <h3 className="flex items-center gap-2 text-small font-[550]">
                    <Status tone={tone} word={word} />
                    <span className="font-normal text-fg-3 tabular-nums">{here.length}</span>
                  </h3>
                  <ul className="flex flex-col gap-2">
                    {here.map((task) => (
                      <TaskCard key={task.id} task={task} where={where(task)} />
                    ))}
                  </ul>
                </section>
              );
            })}
          </div>
        </div>
      )}
      {dropped > 0 && (
        <p className="border-t border-line px-4 py-2 text-fg-2">
          {dropped} further {dropped === 1 ? "task was" : "tasks were"} not recorded: a phase has a maximum.
        </p>
      )}
    </NarrowFold>
  );
}
