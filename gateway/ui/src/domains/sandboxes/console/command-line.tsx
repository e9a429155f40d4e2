import { useState, type KeyboardEvent, type SubmitEvent } from "react";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";

interface Props {
  /** Set while a command runs: what is typed then goes to the command. */
  running: boolean;
  text: string;
  onText: (text: string) => void;
  history: string[];
  onCommand: (text: string) => void;
  onInput: (text: string) => void;
  onEnd: () => void;
}

/** The line at the foot of the console: a command, or input for the one that runs. */
export function CommandLine({ running, text, onText, history, onCommand, onInput, onEnd }: Props) {
  const [back, setBack] = useState(0);
  const label = running ? "Input for the running command" : "Command";

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (running) onInput(`${text}\n`);
    else if (text.trim() !== "") onCommand(text);
    else return;
    onText("");
    setBack(0);
  };
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (running && event.ctrlKey && event.key === "d") {
      event.preventDefault();
      onEnd();
    }
    if (running || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    const next = Math.min(history.length, Math.max(0, back + (event.key === "ArrowUp" ? 1 : -1)));
    event.preventDefault();
    setBack(next);
    onText(next === 0 ? "" : (history[history.length - next] ?? ""));
  };

  return (
    <form
      onSubmit={submit}
      className="flex items-center gap-2 border-t border-line bg-surface px-4 py-2 focus-within:border-accent"
    >
      <span aria-hidden className={cx("font-mono text-small", running ? "text-waiting" : "text-accent")}>
        {running ? "›" : "$"}
      </span>
      <input
        aria-label={label}
        placeholder={running ? "Type input for the running command" : "Type a command"}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={keys}
        autoComplete="off"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck="false"
        className="h-7 min-w-0 flex-1 bg-transparent font-mono text-small outline-none focus-visible:outline-none pointer-coarse:h-11 pointer-coarse:text-[16px]"
      />
      {running && (
        <Button look="quiet" onClick={onEnd} title="Send the end of input to the command (Ctrl D)">
          End input
        </Button>
      )}
      <Button type="submit" look={running ? "plain" : "primary"}>
        {running ? "Send" : "Run"}
      </Button>
    </form>
  );
}
