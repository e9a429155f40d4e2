// Sends files with progress. `fetch` has none for what it sends, so this is an XMLHttpRequest.
import { readProblem, unreachable } from "~/api/problem";

/** Sends the body and answers with the JSON of the answer. */
export function send<T>(
  address: string,
  body: Blob,
  { progress, signal }: { progress: (percent: number) => void; signal: AbortSignal },
): Promise<T> {
  return new Promise((done, failed) => {
    // It may be stopped before it begins.
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open("POST", address);
    request.setRequestHeader("accept", "application/json");
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      progress(total > 0 ? Math.floor((loaded / total) * 100) : 0),
    );
    request.addEventListener("error", () => failed(unreachable()));
    request.addEventListener("abort", () => failed(new DOMException("stopped", "AbortError")));
    request.addEventListener("load", () => {
      const { status, responseText } = request;
      if (status >= 200 && status < 300) {
        done(JSON.parse(responseText) as T);
        return;
      }
      const headers = new Headers();
      for (const name of ["retry-after", "x-request-id"]) {
        const value = request.getResponseHeader(name);
        if (value) headers.set(name, value);
      }
      readProblem(new Response(responseText, { status, headers })).then(failed, failed);
    });
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
