import type { UserBrief } from "~/api/types";
import { cx } from "./class";
import { visible } from "./visible";

/** At most two letters: of the first and the last word of the name, else of the address. */
export function initialsOf({ name, email }: Pick<UserBrief, "name" | "email">): string {
  const words = (name.trim() || email).split(/\s+/);
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words;
  return chosen
    .map((word) => Array.from(word ?? "").find((letter) => /[\p{L}\p{N}]/u.test(letter)) ?? "")
    .join("")
    .toLocaleUpperCase();
}

interface Props {
  user: UserBrief;
  /** Its size, with that of the letters. */
  className?: string;
}

/** The picture of a person, or their initials. It stands beside the name, so it has no words of its own. */
export const Avatar = ({ user, className = "size-5 text-[9px]" }: Props) => (
  <span
    aria-hidden
    // Drawn, not written: who copies a line does not get them.
    data-letters={user.avatar ? "" : initialsOf(user)}
    className={cx(
      "relative inline-flex before:content-[attr(data-letters)] shrink-0 items-center justify-center overflow-hidden rounded-full bg-line font-[600] text-fg-2 select-none",
      className,
    )}
  >
    {user.avatar && (
      <img
        src={`/api/users/${user.id}/avatar?v=${encodeURIComponent(user.avatar)}`}
        alt=""
        loading="lazy"
        decoding="async"
        className="size-full object-cover"
      />
    )}
  </span>
);

/** A person in a sentence: the picture and the name. */
export const Person = ({ user }: { user: UserBrief }) => (
  <span title={user.email} className="inline-flex max-w-full min-w-0 items-center gap-1.5 align-bottom">
    <Avatar user={user} />
    <bdi className="min-w-0 truncate">{visible(user.name || user.email)}</bdi>
  </span>
);
