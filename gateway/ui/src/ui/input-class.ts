/** The look of everything that is typed into or chosen from. */
export const inputClass =
  "w-full rounded-control border border-line-strong bg-canvas px-2.5 py-1 text-body text-fg transition-colors duration-80 " +
  "hover:border-fg-3 focus-visible:outline-offset-0 aria-invalid:border-failed pointer-coarse:min-h-11 pointer-coarse:text-[16px]";
/** Its button: the chosen option at the left, the sign of a list at the right. */
export const choiceClass = `${inputClass} flex h-8 min-w-36 items-center gap-2 text-left disabled:opacity-50 aria-expanded:border-accent`;
