import { Download } from "lucide-react";
import { create } from "zustand";
import { asProblem } from "~/api/problem";
import { tellNews } from "~/live/news";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { asked, type Wanted } from "./queries";
import { pages, write, type Form } from "./log-pages";

/** One export at a time; it goes on when somebody leaves the page, and then a notification tells of its end. */
const useExport = create<{ running: AbortController | undefined; read: number }>(() => ({
  running: undefined,
  read: 0,
}));

function save(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function run(wanted: Wanted, form: Form) {
  const over = new AbortController();
  useExport.setState({ running: over, read: 0 });
  const name = `audit-${new Date().toISOString().slice(0, 10)}.${form}`;
  try {
    const all = [];
    for await (const page of pages(asked(wanted), over.signal)) {
      all.push(...page);
      useExport.setState({ read: all.length });
    }
    save(write(all, form), name);
    tellNews({
      kind: "export-done",
      name,
      more: all.length === 1 ? "1 entry" : `${number(all.length)} entries`,
    });
  } catch (error) {
    if (!over.signal.aborted) tellNews({ kind: "export-failed", name, more: asProblem(error).message });
  } finally {
    useExport.setState({ running: undefined });
  }
}

/** Writes exactly what the filter lets through into a file. */
export function ExportButtons({ wanted }: { wanted: Wanted }) {
  const { running, read } = useExport();
  if (running)
    return (
      <span className="flex items-center gap-2" role="status">
        <span className="text-fg-2">{number(read)} entries read</span>
        <Button onClick={() => running.abort()}>Stop</Button>
      </span>
    );
  return (
    <>
      {(["csv", "json"] as const).map((form) => (
        <Button key={form} icon={<Download size={14} aria-hidden />} onClick={() => void run(wanted, form)}>
          Export {form.toUpperCase()}
        </Button>
      ))}
    </>
  );
}
