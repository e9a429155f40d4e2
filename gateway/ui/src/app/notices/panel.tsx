import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Button } from "~/ui/button";
import { number } from "~/ui/bytes";
import { cx, textLink } from "~/ui/class";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { Dialog } from "~/ui/dialog-frame";
import { countAll, type Notice } from "./model";
import { notices, useNotices } from "./store";
import { browserNotices, switchBrowserNotices } from "./browser";
import { said, TARGET } from "./words";

function Item({ notice, isNew, onClose }: { notice: Notice; isNew: boolean; onClose: () => void }) {
  const { tone, before, after } = said(notice);
  const name = <bdi className="font-[550] break-words">{notice.name}</bdi>;
  return (
    <li
      data-row
      className={cx("flex gap-2.5 border-b border-line px-4 py-2.5 last:border-0", isNew && "bg-accent/6")}
    >
      <Status tone={tone} word={isNew ? "New" : "Seen"} compact className="mt-0.5 h-4" />
      <div className="min-w-0 flex-1">
        <p>
          {before}
          {notice.thing ? (
            <Link
              to={TARGET[notice.thing.kind]}
              params={{ id: notice.thing.id }}
              onClick={onClose}
              className={textLink}
            >
              {name}
            </Link>
          ) : (
            name
          )}
          <bdi>{after}</bdi>
        </p>
        <p className="text-small text-fg-3">
          <Ago at={new Date(notice.at).toISOString()} />
        </p>
      </div>
    </li>
  );
}

/** Whether the browser tells of it too. It asks the person only after this is pressed. */
function BrowserSwitch() {
  const [state, setState] = useState(browserNotices);
  if (state === "missing") return null;
  return (
    <div className="border-t border-line px-4 py-2.5">
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          role="switch"
          aria-checked={state === "on"}
          className="mt-0.5 accent-accent"
          checked={state === "on"}
          disabled={state === "refused"}
          onChange={(event) => void switchBrowserNotices(event.currentTarget.checked).then(setState)}
        />
        <span>
          Browser notifications
          <span className="block text-small text-fg-3">
            {state === "refused"
              ? "This browser does not allow them for this site. Its settings for the site change that."
              : "For what happens while this page is open and you look elsewhere. Roost does not send them when no page is open."}
          </span>
        </span>
      </label>
    </div>
  );
}

const PLACES = [
  ["/runs", "Runs"],
  ["/missions", "Missions"],
  ["/approvals", "Approvals"],
  ["/fleet", "Fleet"],
  ["/agents", "Agents"],
] as const;

/** The browser keeps the newest ones. It says how many there were, and where the others are seen. */
function Older({ kept, all, onClose }: { kept: number; all: number; onClose: () => void }) {
  return (
    <p className="border-b border-line px-4 py-2 text-small text-fg-2">
      There were {number(all)} notifications. The newest {number(kept)} are listed. For the others, see{" "}
      {PLACES.map(([to, label], at) => (
        <span key={to}>
          {at > 0 && (at === PLACES.length - 1 ? " and " : ", ")}
          <Link to={to} onClick={onClose} className={textLink}>
            {label}
          </Link>
        </span>
      ))}
      .
    </p>
  );
}

/** What happened while one looked elsewhere, newest first. Opening it is reading it. */
export function NoticePanel({ onClose }: { onClose: () => void }) {
  const list = useNotices((state) => state.notices);
  const all = useNotices(countAll);
  // What was new when it was opened stays marked while it is open.
  const [fresh] = useState(() => new Set(list.filter((one) => !one.read).map(({ id }) => id)));
  useEffect(() => notices.readAll(), []);
  const close = useRef<HTMLButtonElement>(null);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay-in fixed inset-0 z-40 bg-scrim" />
        <Dialog.Popup
          initialFocus={close}
          className="overlay-in fixed inset-y-0 right-0 z-50 flex w-[min(100vw,400px)] flex-col border-l border-line bg-raised shadow-float outline-none"
        >
          <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
            <Dialog.Title className="flex-1 text-head-2">Notifications</Dialog.Title>
            {list.length > 0 && (
              <Button look="quiet" onClick={() => notices.clear()}>
                Clear all
              </Button>
            )}
            <Dialog.Close
              ref={close}
              aria-label="Close"
              className="-mr-1.5 inline-flex size-7 items-center justify-center rounded-control text-fg-2 hover:bg-line/60 hover:text-fg pointer-coarse:size-11"
            >
              <X size={16} aria-hidden />
            </Dialog.Close>
          </header>
          {all > list.length && <Older kept={list.length} all={all} onClose={onClose} />}
          {list.length === 0 ? (
            <p className="flex-1 p-4 text-fg-2">
              No notifications yet. You see here when a run that you started ends, fails or waits, a mission
              of yours ends or is paused by a problem, a machine goes offline or comes back, an agent asks for
              approval, a sandbox is lost or created elsewhere than wanted, the plan refuses something, or an
              export ends.
            </p>
          ) : (
            <ul aria-label="What happened" className="min-h-0 flex-1 overflow-y-auto">
              {list.map((notice) => (
                <Item
                  key={notice.id}
                  notice={notice}
                  isNew={fresh.has(notice.id) || !notice.read}
                  onClose={onClose}
                />
              ))}
            </ul>
          )}
          <BrowserSwitch />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
