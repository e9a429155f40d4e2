// Files on their way to the gateway.
import { Button } from "~/ui/button";

interface Props {
  percent: number;
  /** What the gateway does when it has all of them. */
  after: string;
  stop: () => void;
}

/** The button is before the words, so that it does not move under the pointer when they change. */
export const Sending = ({ percent, after, stop }: Props) => (
  <p className="flex flex-wrap items-center gap-2">
    <span
      role="progressbar"
      aria-label="Sent"
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
      className="meter-bar text-accent"
      style={{ backgroundSize: `${Math.max(percent, 2)}% 6px, 100% 6px, 0 2px` }}
    />
    <Button look="quiet" onClick={stop}>
      Stop
    </Button>
    <span className="tabular-nums">{percent < 100 ? `${percent} % of the files are sent.` : after}</span>
  </p>
);
