import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Maximize2, Minimize2, Plus } from "lucide-react";
import { Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { meQuery } from "~/api/me";
import { asProblem, type Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import { renew } from "~/live/renew";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { Button, IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { cancel, start } from "./exec";
import { keyOf, NEW, runningQuery, type Command } from "./history";

const ShellTerminal = later(async () => (await import("./terminal-kit")).ShellTerminal, PartMissing);

/** The best shell there is. An `exec` that fails ends the shell that tried, so it looks first. */
const SHELL = ["/bin/sh", "-c", "command -v bash >/dev/null && exec bash -l; exec sh -l"];

interface Props {
  owner: Owner;
  /** The shell in the address. */
  id: string;
  head: ReactNode;
  onChoose: (id: string | undefined) => void;
}

const byAge = (a: Command, b: Command) => a.created_at.localeCompare(b.created_at);

/** The open shells of this sandbox, one of them in its terminal. */
export function Shells({ owner, id, head, onChoose }: Props) {
  const client = useQueryClient();
  const me = useQuery(meQuery).data?.user.id;
  const running = useQuery(runningQuery(owner));
  const place = useRef<HTMLDivElement>(null);
  const [full, setFull] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const making = useRef(false);
  const shells = (running.data ?? []).filter((one) => one.is_shell).toSorted(byAge);
  const again = () => void renew(client, { queryKey: keyOf(owner) });

  const make = async () => {
    if (making.current) return;
    making.current = true;
    setProblem(undefined);
    try {
      onChoose(await start(owner, { argv: SHELL, tty: { rows: 24, cols: 80 } }));
      again();
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      making.current = false;
    }
  };

  // The address asks for any shell: the newest of this person, or a new one.
  const own = shells.findLast(({ user }) => user?.id === me)?.id;
  const wants = id === NEW && running.isSuccess && !running.isFetching;
  useEffect(() => {
    if (!wants) return;
    if (own) onChoose(own);
    // Making a shell is what the address asks for.
    // oxlint-disable-next-line react/set-state-in-effect
    else void make();
    // Once, when the list has arrived.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [wants]);

  useEffect(() => {
    const changed = () => setFull(document.fullscreenElement === place.current);
    document.addEventListener("fullscreenchange", changed);
    return () => document.removeEventListener("fullscreenchange", changed);
  }, []);
  const toggle = () =>
    void (full ? document.exitFullscreen() : place.current?.requestFullscreen())?.catch(() => undefined);
  const called = ({ user }: Command, index: number) =>
    user && user.id !== me ? `Shell ${index + 1}, ${visible(user.name || user.email)}` : `Shell ${index + 1}`;
  const isOpen = shells.some((one) => one.id === id);

  return (
    <div ref={place} className="flex min-h-0 flex-1 flex-col bg-sunken">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-1.5">
        {head}
        <div role="group" aria-label="Shells" className="flex flex-wrap gap-1">
          {shells.map((one, index) => (
            <button
              key={one.id}
              type="button"
              aria-pressed={one.id === id}
              onClick={() => onChoose(one.id)}
              className={cx(
                "h-7 max-w-56 truncate rounded-control border px-2 text-small pointer-coarse:h-11",
                one.id === id
                  ? "border-line-strong/60 bg-line/60 text-fg"
                  : "border-line text-fg-2 hover:text-fg",
              )}
            >
              <bdi>{called(one, index)}</bdi>
            </button>
          ))}
        </div>
        <Button look="quiet" icon={<Plus size={14} aria-hidden />} onClick={() => void make()}>
          New shell
        </Button>
        {isOpen && (
          <Button
            look="quiet"
            title="End this shell and everything that runs in it"
            onClick={() =>
              void cancel(owner, id).then(again, (error: unknown) => setProblem(asProblem(error)))
            }
          >
            End shell
          </Button>
        )}
        <IconButton label={full ? "Leave full screen" : "Full screen"} onClick={toggle}>
          {full ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
        </IconButton>
      </div>
      {problem && <ProblemNote problem={problem} className="m-3" />}
      {id === NEW ? (
        !problem && <Loading what="the shell" rows={3} />
      ) : (
        <Suspense fallback={<Loading what="the shell" rows={3} />}>
          <ShellTerminal
            key={id}
            owner={owner}
            op={id}
            unread={shells.find((one) => one.id === id)?.ends_unread_after_s}
            onEnd={again}
            onNew={() => void make()}
          />
        </Suspense>
      )}
    </div>
  );
}
