import { FileArchive, FolderUp } from "lucide-react";
import { useRef, useState, type DragEvent, type ReactNode } from "react";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { fromDrop, fromInput, type Picked } from "./picked";

interface Props {
  label: string;
  /** The second button: an archive that is unpacked, or single files that stay as they are. */
  second: "archive" | "files";
  /** Files of a dropped folder that are read. */
  most: number;
  disabled?: boolean;
  onPick: (picked: Picked) => void;
  onFail: (error: unknown) => void;
  children: ReactNode;
}

/** Takes a folder or files: chosen with a button, or dropped. */
export function DropArea({ label, second, most, disabled, onPick, onFail, children }: Props) {
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (input: HTMLInputElement) => {
    const picked = fromInput([...(input.files ?? [])]);
    // The same folder can be chosen again.
    input.value = "";
    if (picked) onPick(picked);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (disabled || !event.dataTransfer) return;
    fromDrop(event.dataTransfer, most).then((picked) => picked && onPick(picked), onFail);
  };
  const hidden = { type: "file", hidden: true, tabIndex: -1, "aria-hidden": true } as const;
  return (
    // A drop is a second way: the buttons are there for the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={label}
      className={cx(
        "flex flex-wrap items-center gap-2 rounded-panel border border-dashed px-3 py-3",
        over ? "border-accent bg-raised" : "border-line-strong",
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Button
        disabled={disabled}
        icon={<FolderUp size={14} aria-hidden />}
        onClick={() => folder.current?.click()}
      >
        Choose a folder
      </Button>
      <Button
        disabled={disabled}
        icon={<FileArchive size={14} aria-hidden />}
        onClick={() => files.current?.click()}
      >
        {second === "archive" ? "Choose an archive" : "Choose files"}
      </Button>
      <input
        {...hidden}
        ref={folder}
        data-picks="folder"
        {...{ webkitdirectory: true }}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        {...hidden}
        ref={files}
        data-picks="files"
        multiple={second === "files"}
        {...(second === "archive" && { accept: ".tar,.tar.gz,.tgz,.zip" })}
        onChange={(event) => take(event.currentTarget)}
      />
      <div className="min-w-0 basis-full text-small text-fg-3">{children}</div>
    </div>
  );
}
