/** What an address says of a tab with saved files. */
export interface FilesChoice {
  snapshot?: string | undefined;
  path?: string | undefined;
  before?: string | undefined;
}

export interface FilesChosen {
  choice: FilesChoice;
  onChoose: (change: FilesChoice) => void;
}
