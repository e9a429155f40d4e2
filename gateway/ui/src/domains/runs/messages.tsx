// What people say to a run at work.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { MessageSquare, Send } from "lucide-react";
import { useState, type KeyboardEvent, type SubmitEvent } from "react";
import { asProblem } from "~/api/problem";
import type { Run } from "~/api/runs";
import { Button } from "~/ui/button";
import { Area, Choice } from "~/ui/field";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { isOver } from "~/ui/run-state";
import { Ago } from "~/ui/time";
import { Avatar } from "~/ui/person";
import { visible } from "~/ui/visible";
import { messagesKey, messagesQuery, say, type NewRunMessage, type RunMessage } from "./queries";

interface Props {
  run: Run;
  nameOf: (node: string) => string;
  mayStart: boolean;
}

/** The nodes whose agents heard it, each once. */
function heardBy(message: RunMessage, run: Run, nameOf: Props["nameOf"]): string {
  const nodes = message.heard.map(
    ({ step, lap }) => run.steps.find((one) => one.key === step && one.lap === lap)?.node ?? step,
  );
  return [...new Set(nodes)].map((node) => visible(nameOf(node))).join(", ");
}

function Said({ message, run, nameOf }: { message: RunMessage } & Omit<Props, "mayStart">) {
  const heard = heardBy(message, run, nameOf);
  const to = run.graph.nodes.find(({ attributes }) => attributes?.agent === message.agent_id);
  return (
    <li className="px-4 py-2" data-message={message.id}>
      <p className="flex flex-wrap items-center gap-x-2 text-small text-fg-3">
        {message.by ? <Avatar user={message.by} /> : <MessageSquare size={14} aria-hidden />}
        <bdi className="font-[550] text-fg-2">
          {visible(message.by?.name || message.by?.email || "Someone")}
        </bdi>
        {message.agent_id && to && (
          <span>
            to <bdi>{visible(nameOf(to.id))}</bdi>
          </span>
        )}
        <Ago at={message.created_at} never="" />
        <span className="grow" />
        <span>
          {heard ? (
            <>
              Read by <bdi>{heard}</bdi>
            </>
          ) : isOver(run.status) ? (
            "Nobody read it"
          ) : (
            "Not read yet"
          )}
        </span>
      </p>
      <p dir="auto" className="break-words whitespace-pre-wrap">
        {visible(message.text)}
      </p>
    </li>
  );
}

/** The box in which one speaks to the team. What was typed stays when it is refused. */
function Compose({ run, nameOf }: Omit<Props, "mayStart">) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [to, setTo] = useState("");
  const sending = useKeyedMutation((body: NewRunMessage, key) => say(run.id, body, key));
  const problem = sending.isError ? asProblem(sending.error) : undefined;
  const agents = run.graph.nodes.filter(({ attributes }) => attributes?.agent);
  const send = async () => {
    if (!text.trim()) return;
    const said = await sending
      .mutateAsync({ text: text.trim(), ...(to && { agent_id: to }) })
      .catch(() => undefined);
    if (!said) return;
    setText("");
    await client.invalidateQueries({ queryKey: messagesKey(run.id) });
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send();
  };
  const sends = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 px-4 py-3">
      <Area
        label="Message"
        rows={2}
        maxLength={8_000}
        value={text}
        onKeyDown={sends}
        onChange={(event) => setText(event.target.value)}
        hint="Each agent reads it before its next turn. Ctrl and Enter sends it."
        error={problem?.field("/text")}
      />
      <div className="flex flex-wrap items-end gap-3">
        {agents.length > 1 && (
          <Choice label="For" value={to} className="w-48" onChange={(event) => setTo(event.target.value)}>
            <option value="">All agents</option>
            {agents.map((node) => (
              <option key={node.id} value={node.attributes?.agent ?? ""}>
                {visible(nameOf(node.id))}
              </option>
            ))}
          </Choice>
        )}
        <Button
          type="submit"
          look="primary"
          busy={sending.isPending}
          disabled={!text.trim()}
          icon={<Send size={14} aria-hidden />}
        >
          Send
        </Button>
      </div>
      {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
    </form>
  );
}

/** The messages of a run, and the box for the next one while it works. */
export function Messages({ run, nameOf, mayStart }: Props) {
  const messages = useQuery(messagesQuery(run.id));
  const said = messages.data ?? [];
  const writes = mayStart && !isOver(run.status) && !run.cancelling;
  if (messages.isError && !messages.data)
    return <Failed error={messages.error} retry={() => void messages.refetch()} className="" />;
  if (!writes && said.length === 0) return null;
  return (
    <Panel title="Messages to the agents" aside={said.length > 0 ? String(said.length) : undefined}>
      {said.length > 0 && (
        <ol
          aria-label="Messages"
          className="max-h-80 divide-y divide-line overflow-y-auto border-b border-line"
        >
          {said.map((message) => (
            <Said key={message.id} message={message} run={run} nameOf={nameOf} />
          ))}
        </ol>
      )}
      {writes && <Compose run={run} nameOf={nameOf} />}
    </Panel>
  );
}
