// The shell's floating layers, loaded when first opened.
import { Dialog } from "@base-ui/react/dialog";
import type { Me } from "~/api/types";
import { Modal } from "~/ui/dialog";
import { useDrawer } from "~/ui/page";
import { Rail } from "./rail";

const HELP: [string, string][] = [
  ["g f", "Go to the fleet"],
  ["g a", "Go to the agents"],
  ["g p", "Go to the people"],
  ["g q", "Go to the quotas"],
  ["/", "Filter the list on this page"],
  ["?", "Show this help"],
  ["Esc", "Close the top layer"],
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Modal open onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {HELP.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded-control border border-line-strong bg-canvas px-1.5 py-0.5 font-mono text-small">
                {key}
              </kbd>
            </dt>
            <dd className="text-fg-2">{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}

/** The rail as a drawer, on narrow screens. */
export function RailDrawer({ me }: { me: Me }) {
  return (
    <Dialog.Root open onOpenChange={(open) => useDrawer.setState({ open })}>
      <Dialog.Portal>
        <Dialog.Backdrop className="overlay-in fixed inset-0 z-40 bg-scrim lg:hidden" />
        <Dialog.Popup
          aria-label="Navigation"
          className="overlay-in fixed inset-y-0 left-0 z-50 flex bg-sunken shadow-float outline-none lg:hidden"
        >
          <Rail me={me} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
