import { useState } from "react";
import type { Paired } from "~/api/types";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { GuideLink } from "~/ui/guide-link";
import { ReachNote } from "~/ui/reach";
import { TabSet } from "~/ui/tabs";
import { span, useRemaining } from "~/ui/time";

function Command({ text, note }: { text: string; note: string }) {
  return (
    <div>
      <div className="flex items-start gap-2 rounded-panel border border-line bg-sunken p-2 pl-3">
        <pre
          tabIndex={0}
          aria-label="Command"
          className="max-h-40 min-w-0 flex-1 overflow-auto py-1 font-mono text-small whitespace-pre-wrap select-all"
        >
          {text}
        </pre>
        <CopyButton text={text} />
      </div>
      <p className="mt-2 text-small text-fg-3">{note}</p>
    </div>
  );
}

/** The one line to run, in the variants that the gateway offers, with the time left. */
export function PairCommand({
  paired,
  renewing,
  onRenew,
}: {
  paired: Paired;
  renewing: boolean;
  onRenew: () => void;
}) {
  const [tab, setTab] = useState("install");
  const left = useRemaining(paired.expires_at);
  const { linux: install, with_checksum: checked } = paired.install;
  const items = [
    ...(install
      ? [
          {
            id: "install",
            label: "Linux",
            content: (
              <Command
                text={install}
                note="The command downloads the daemon from this gateway, then joins. It needs Docker, and no root rights."
              />
            ),
          },
        ]
      : []),
    ...(checked
      ? [
          {
            id: "checked",
            label: "With checksum",
            content: (
              <Command
                text={checked}
                note="The same command, but it compares the download with its checksum before it runs it."
              />
            ),
          },
        ]
      : []),
    {
      id: "join",
      label: "roostd is installed",
      content: <Command text={paired.command} note="For a machine that has the daemon already." />,
    },
  ];
  const current = items.some((item) => item.id === tab) ? tab : (items[0]?.id ?? "join");
  if (left === 0) {
    return (
      <div className="rounded-panel border border-waiting/50 bg-waiting/8 p-4">
        <p className="font-[550]">This code has expired</p>
        <p className="mt-0.5 mb-3 text-fg-2">
          A code works once, for ten minutes. If the machine has already joined, Fleet shows it.
        </p>
        <Button look="primary" busy={renewing} onClick={onRenew}>
          Get a new command
        </Button>
      </div>
    );
  }
  return (
    <div>
      <ReachNote
        text={paired.command}
        problem={paired.address_problem}
        who="Other machines"
        className="mb-3"
      />
      <TabSet items={items} value={current} onChange={setTab} />
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2 text-small text-fg-2">
        <span>
          Shown once. Works once. Expires in <span className="font-[550] text-fg">{span(left)}</span>.
        </span>
        <GuideLink to="machine">your machines</GuideLink>
        <Button look="quiet" busy={renewing} onClick={onRenew} className="text-small">
          Get a new command
        </Button>
      </div>
    </div>
  );
}
