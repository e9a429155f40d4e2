// Ids and times of the mock.
let ids = 0;
export const newId = (): string => `0198c0de-0000-7000-8000-${String((ids += 1)).padStart(12, "0")}`;
export const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
