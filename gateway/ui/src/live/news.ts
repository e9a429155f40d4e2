// What a page did in the background and is done with, for the part that tells people of it.
export interface News {
  kind: "export-done" | "export-failed";
  name: string;
  more: string;
}

const listeners = new Set<(news: News) => void>();

export const tellNews = (news: News) => listeners.forEach((call) => call(news));

export function onNews(call: (news: News) => void): () => void {
  listeners.add(call);
  return () => listeners.delete(call);
}
