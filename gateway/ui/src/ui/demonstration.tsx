import { FlaskConical } from "lucide-react";

/** Says that no model spoke, but a script: wherever a text of it stands. */
export function Demonstration() {
  return (
    <span
      title="A script speaks here, no model"
      className="inline-flex items-center gap-1 rounded-control border border-info/50 px-1.5 text-micro text-info"
    >
      <FlaskConical size={11} aria-hidden />
      demonstration
    </span>
  );
}
