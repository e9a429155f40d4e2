// The shell's floating layers, loaded when first opened.
import type { Me } from "~/api/types";
import { Dialog, Modal } from "~/ui/dialog-frame";
import { useDrawer } from "~/ui/page";
import { usePreferences } from "~/ui/preferences";
import { HELP } from "./help";
import { chordsOf } from "./places";
import { Rail } from "./rail";

function Keys({ keys, what, off }: { keys: string; what: string; off: boolean }) {
  return (
    <div className="contents">
      <dt className="flex gap-1">
        {keys.split(/\s+/).map((key) => (
          <kbd
            key={key}
            className="min-w-6 rounded-control border border-line-strong bg-canvas px-1.5 py-0.5 text-center font-mono text-small"
          >
            {key}
          </kbd>
        ))}
      </dt>
      <dd className="text-fg-2">
        {what}
        {off && <span className="text-fg-3"> (off)</span>}
      </dd>
    </div>
  );
}

export function ShortcutHelp({ me, onClose }: { me: Me; onClose: () => void }) {
  const single = usePreferences((all) => all.singleKeys);
  const chords = chordsOf(me).map(({ chord, label }) => ({
    keys: `g ${chord}`,
    what: `Go to ${label}`,
    always: false,
  }));
  return (
    <Modal
      open
      onClose={onClose}
      title="Keyboard shortcuts"
      lead={
        single
          ? "Single keys can be switched off in the settings."
          : "Single keys are switched off; the settings switch them on."
      }
    >
      {/* Scrolled by keyboard where it is longer than the screen. */}
      <div role="region" aria-label="All keys" tabIndex={0}>
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
          {[...HELP, ...chords].map(({ keys, what, always }) => (
            <Keys key={keys} keys={keys} what={what} off={!always && !single} />
          ))}
        </dl>
      </div>
    </Modal>
  );
}

/** The rail as a drawer, on narrow screens. */
export function RailDrawer({ me }: { me: Me }) {
  return (
    <Dialog.Root open onOpenChange={(open) => useDrawer.setState({ open })}>
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay-in fixed inset-0 z-40 bg-scrim rail:hidden" />
        <Dialog.Popup
          aria-label="Navigation"
          className="overlay-in fixed inset-y-0 left-0 z-50 flex bg-sunken shadow-float outline-none rail:hidden"
        >
          <Rail me={me} drawer />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
