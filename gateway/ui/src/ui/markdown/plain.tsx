import { visible } from "../visible";

/** A text as it was written. */
export function Plain({ text }: { text: string }) {
  return <p className="max-w-[72ch] text-reading break-words whitespace-pre-wrap">{visible(text)}</p>;
}
