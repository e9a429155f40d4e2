// The findings of a security phase: how many of each severity, what is new, and each with its place.
import { ExternalLink } from "lucide-react";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { findingsOf, inOrder, SEVERITIES, type Findings, type OpenFinding } from "./probes";

/** More are in the download. */
const MOST = 300;

function Counts({ findings }: { findings: Findings }) {
  return (
    <dl className="grid grid-cols-5 border-b border-line max-sm:grid-cols-3">
      {SEVERITIES.map(([severity, word, tone]) => (
        <div key={severity} className="px-4 py-2.5">
          <dt>
            <Status tone={findings.counts[severity] > 0 ? tone : "idle"} word={word} className="text-small" />
          </dt>
          <dd className="text-title">
            {findings.counts[severity]}
            {findings.new[severity] > 0 && (
              <span className="ml-2 text-small text-fg-2">{findings.new[severity]} new</span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const place = ({ file, line, subject }: Pick<OpenFinding, "file" | "line" | "subject">) =>
  file ? `${file}${line === null ? "" : `:${line}`}` : (subject ?? "the whole repository");

function Row({ finding }: { finding: OpenFinding }) {
  const [, word, tone] = SEVERITIES.find(([severity]) => severity === finding.severity) ?? SEVERITIES[4]!;
  return (
    <li data-severity={finding.severity} className="border-b border-line px-4 py-2.5 last:border-0">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <Status tone={tone} word={word} className="w-20 text-small" />
        <span className="min-w-0 flex-1 basis-72 break-words">{visible(finding.message)}</span>
        {finding.is_new && (
          <span className="rounded-control bg-sunken px-1.5 text-small font-[550]">New</span>
        )}
      </p>
      <p className="flex flex-wrap gap-x-3 pl-[92px] text-small text-fg-2 max-sm:pl-0">
        <code className="break-all">{visible(place(finding))}</code>
        <span>
          {visible(finding.rule)}, {finding.tools.map(visible).join(" and ")}
        </span>
        {finding.help && (
          <a
            href={finding.help}
            target="_blank"
            rel="noreferrer noopener"
            className="inline-flex items-center gap-1 text-accent"
          >
            About this <ExternalLink size={12} aria-hidden />
          </a>
        )}
      </p>
      {finding.snippet && (
        <pre className="mt-1 ml-[92px] overflow-x-auto rounded-control bg-sunken px-2 py-1 font-mono text-small max-sm:ml-0">
          {visible(finding.snippet)}
        </pre>
      )}
    </li>
  );
}

function Tools({ findings }: { findings: Findings }) {
  return (
    <details className="border-t border-line">
      <summary className="px-4 py-2 text-fg-2 hover:text-fg">
        {findings.tools.filter(({ ran }) => ran).length} of {findings.tools.length} scanners gave a report
      </summary>
      <ul className="px-4 pb-3 text-small">
        {findings.tools.map(({ tool, ran, detail }) => (
          <li key={tool} className="flex flex-wrap gap-x-3">
            <Status tone={ran ? "done" : "idle"} word={visible(tool)} className="w-40" />
            <span className="text-fg-2">{visible(detail)}</span>
          </li>
        ))}
        {findings.notes.map((note) => (
          <li key={note} className="text-fg-2">
            {visible(note)}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function FindingsView({ text }: { text: string }) {
  const findings = findingsOf(text);
  if (!findings)
    return <p className="px-4 py-3 text-fg-2">These findings are for other tools. Download them.</p>;
  const rows = inOrder(findings.open);
  return (
    <div>
      <Counts findings={findings} />
      {rows.length === 0 ? (
        <p className="px-4 py-3 text-fg-2">The scanners found nothing.</p>
      ) : (
        <ul>
          {rows.slice(0, MOST).map((finding) => (
            <Row key={finding.fingerprint} finding={finding} />
          ))}
        </ul>
      )}
      {rows.length > MOST && (
        <p className="px-4 py-2 text-fg-2">{rows.length - MOST} more are in the download.</p>
      )}
      {findings.suppressed.length > 0 && (
        <details className="border-t border-line">
          <summary className="px-4 py-2 text-fg-2 hover:text-fg">
            {findings.suppressed.length} suppressed
          </summary>
          <ul className="px-4 pb-3 text-small">
            {findings.suppressed.map((one, index) => (
              <li key={index} className="flex flex-wrap gap-x-3">
                <code>{visible(place(one))}</code>
                <span>{visible(one.rule)}</span>
                <span className="text-fg-2">{visible(one.reason)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Tools findings={findings} />
    </div>
  );
}
