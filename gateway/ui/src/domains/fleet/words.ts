import type { Node } from "~/api/types";
import type { Tone } from "~/ui/status";

export { codesOf, nodeState, type NodeState, type Stateful } from "~/ui/node-state";

export const imageWords: Record<Node["image"], { tone: Tone; word: string; help: string }> = {
  ready: { tone: "done", word: "Ready", help: "" },
  missing: {
    tone: "failed",
    word: "Missing",
    help: "The machine fetches it when the gateway's host has it. Or run on the machine: roostd image build",
  },
  "wrong-digest": {
    tone: "warning",
    word: "Wrong digest",
    help: "On the machine, run: roostd image build, to get the image this gateway expects",
  },
  unfit: {
    tone: "failed",
    word: "Not an agent image",
    help: "On the machine, run: roostd image build, to get the image this gateway expects",
  },
  unknown: { tone: "idle", word: "Not known yet", help: "" },
};

export const words = {
  empty: "No machines yet",
  emptyWhy:
    "A paired machine runs your agents' sandboxes. Your laptop is enough: it connects to the gateway and opens no port.",
  noRight:
    "Your role does not include pairing machines. An Admin or Owner of the workspace can do it, or give you the right.",
  pairLead: "Run one command on the machine. The machine connects to this gateway, and opens no port.",
  drain:
    "It takes no new sandboxes. The sandboxes that are on it now continue until they end or are destroyed. You can undo this.",
  drainOne: "It takes no new sandboxes. You can undo this.",
  drainStay: "They are saved and continue until they end or are destroyed.",
  drainMove:
    "Each is saved and ends here as soon as no command runs in it. It begins elsewhere with its files when its agent needs it.",
  remove:
    "Its token stops working at once. Its sandboxes are destroyed if it can be reached, otherwise they are listed as lost. New sandboxes run on the gateway's own machine.",
};
