// Whether an address that is given to others leads anywhere for them.
import { Notice } from "./notice";
import { visible } from "./visible";

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f[\da-f:]+\])$/;

/** The host of an address that means "this machine" wherever it is used; undefined for all others. */
export function loopbackHost(text: string): string | undefined {
  const address = /https?:\/\/[^\s"'<>]+/.exec(text)?.[0];
  if (!address || !URL.canParse(address)) return undefined;
  const { hostname, host } = new URL(address);
  return LOOPBACK.test(hostname) ? host : undefined;
}

interface Props {
  /** The address, or the command that holds it. */
  text: string;
  /** What the gateway found when it looked for itself there, and the remedy. */
  problem?: string | null | undefined;
  /** Who cannot reach it, as in "Other machines". */
  who: string;
  className?: string;
}

/** Warns where an address works on the gateway's own machine alone, and names the setting that changes it. */
export function ReachNote({ text, problem, who, className }: Props) {
  const host = loopbackHost(text);
  if (problem)
    return (
      <Notice tone="warning" {...(className !== undefined && { className })}>
        <strong className="font-[550]">{who} may not reach this address.</strong> {visible(problem)}
      </Notice>
    );
  if (!host) return null;
  return (
    <Notice tone="warning" {...(className !== undefined && { className })}>
      <strong className="font-[550]">{who} can&apos;t reach this address.</strong>{" "}
      <span className="font-mono text-small">{host}</span> works only on the gateway&apos;s own machine. To
      change it, an operator sets <code className="font-mono text-small">public_url</code> in roost.toml and
      restarts Roost.
    </Notice>
  );
}
