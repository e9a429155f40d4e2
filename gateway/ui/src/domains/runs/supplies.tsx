// The packages of the lock files that the gateway brought into the sandboxes of a run.
import type { RunSupplies } from "~/api/repos";
import { number } from "~/ui/bytes";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { suppliesTone, suppliesWord } from "./words";

function LeftOut({ of }: { of: RunSupplies }) {
  const more = of.left_out_count - of.left_out.length;
  return (
    <details className="pl-6">
      <summary className="cursor-pointer text-fg-2">{number(of.left_out_count)} left out</summary>
      <ul>
        {of.left_out.map(({ name, why }) => (
          <li key={`${name} ${why}`} className="break-words text-fg-2">
            <bdi className="text-fg">{visible(name)}</bdi>: <bdi>{visible(why)}</bdi>
          </li>
        ))}
        {more > 0 && <li className="text-fg-3">and {number(more)} more</li>}
      </ul>
    </details>
  );
}

export function Supplies({ of }: { of: RunSupplies[] }) {
  if (of.length === 0) return null;
  return (
    <ul aria-label="Packages" className="border-t border-line px-4 py-3">
      {of.map((one) => (
        <li key={one.path} className="break-words">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <bdi>{visible(one.path)}</bdi>
            <Status tone={suppliesTone(one)} word={suppliesWord(one)} />
          </div>
          {one.why && <p className="pl-6 text-fg-2">{visible(one.why)}</p>}
          {one.left_out_count > 0 && <LeftOut of={one} />}
        </li>
      ))}
    </ul>
  );
}
