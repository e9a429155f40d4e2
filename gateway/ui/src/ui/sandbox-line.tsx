import { Link } from "@tanstack/react-router";
import type { Sandbox } from "~/api/types";
import { bytes, DASH, number } from "./bytes";
import { CopyText } from "./copy";
import { Notice } from "./notice";
import { Status } from "./status";
import { fallbackReasons, sandboxStates, stateOf } from "./sandbox-words";

function Item({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-small text-fg-3">{name}</dt>
      <dd className="truncate">{children}</dd>
    </div>
  );
}

/** The sandbox at a glance, and why it is not where it was wanted. */
export function SandboxLine({ sandbox }: { sandbox: Sandbox }) {
  const state = stateOf(sandboxStates, sandbox.state);
  const bad = sandbox.hardening.filter((fact) => !fact.ok).length;
  const { limits } = sandbox;
  return (
    <>
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(128px,1fr))] gap-x-6 gap-y-3 rounded-panel border border-line bg-surface px-4 py-3">
        <Item name="Sandbox">
          <Status tone={state.tone} word={state.word} />
        </Item>
        <Item name="Runs on">
          {sandbox.node_id === "local" ? (
            "Gateway's machine"
          ) : (
            <Link
              to="/fleet/$id"
              params={{ id: sandbox.node_id }}
              className="rounded-control text-accent hover:underline"
            >
              {sandbox.node_name || sandbox.node_id.slice(0, 8)}
            </Link>
          )}
        </Item>
        <Item name="Hardening">
          {sandbox.hardening.length === 0 ? (
            DASH
          ) : (
            <Status
              tone={bad === 0 ? "done" : "failed"}
              word={bad === 0 ? `${sandbox.hardening.length} hold` : `${bad} fail`}
            />
          )}
        </Item>
        <Item name="Memory">{bytes(limits.memory_bytes)}</Item>
        <Item name="Processors">
          {limits.nano_cpus ? number(limits.nano_cpus / 1e9, limits.nano_cpus % 1e9 === 0 ? 0 : 1) : DASH}
        </Item>
        <Item name="Processes">{number(limits.pids)}</Item>
        <Item name="Container">
          {sandbox.container ? (
            <CopyText text={sandbox.container} what="container id" shown={sandbox.container.slice(0, 12)} />
          ) : (
            DASH
          )}
        </Item>
      </dl>
      {sandbox.detail && sandbox.state !== "running" && <Notice tone="warning">{sandbox.detail}</Notice>}
      {sandbox.fallback && (
        <Notice tone="warning">
          <strong className="font-[550]">Not where you wanted it.</strong> It was meant for{" "}
          <Link to="/fleet/$id" params={{ id: sandbox.fallback.wanted }} className="underline">
            another machine
          </Link>
          , and runs on {sandbox.node_id === "local" ? "the gateway's own machine" : sandbox.node_name}{" "}
          instead, because {fallbackReasons[sandbox.fallback.reason] ?? sandbox.fallback.reason}.
        </Notice>
      )}
    </>
  );
}
