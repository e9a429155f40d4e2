/** The look of everything that is typed into or chosen from. */
export const inputClass =
  "w-full rounded-control border border-line-strong bg-canvas px-2.5 py-1 text-body text-fg transition-colors duration-80 " +
  "hover:border-fg-3 focus-visible:outline-offset-0 aria-invalid:border-failed pointer-coarse:min-h-11 pointer-coarse:text-[16px]";
