/** What a page shows of its activity, as its address has it. */
export interface Shown {
  show: string | undefined;
  onShow: (show: string | undefined) => void;
}
