import { Tabs } from "@base-ui/react/tabs";
import type { ReactNode } from "react";

export interface TabItem {
  id: string;
  label: string;
  note?: ReactNode;
  content: ReactNode;
}

/** Tabs whose choice the page keeps (in its address). */
export function TabSet({
  items,
  value,
  onChange,
}: {
  items: TabItem[];
  value: string;
  onChange: (id: string) => void;
}) {
  return (
    <Tabs.Root
      value={value}
      onValueChange={(next) => onChange(String(next))}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Tabs.List className="flex gap-1 overflow-x-auto border-b border-line">
        {items.map((item) => (
          <Tabs.Tab
            key={item.id}
            value={item.id}
            className="-mb-px inline-flex h-9 items-center gap-2 border-b-2 border-transparent px-3 whitespace-nowrap text-fg-2 hover:text-fg focus-visible:-outline-offset-2 data-[active]:border-accent data-[active]:text-fg pointer-coarse:h-11"
          >
            {item.label}
            {item.note}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {items.map((item) => (
        <Tabs.Panel key={item.id} value={item.id} className="flex min-h-0 flex-1 flex-col pt-4 outline-none">
          {item.content}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
