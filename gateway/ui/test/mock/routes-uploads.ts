// Uploaded files of the mock, over HTTP. It keeps the bytes, so that a test reads what the page sent.
import { newId } from "./ids.ts";
import type { Routes } from "./route.ts";

export const uploadRoutes = {
  "GET /api/uploads/limits": ({ state }) => ({ body: state.uploadLimits }),
  "POST /api/uploads": ({ state, query, raw }) => {
    const id = newId();
    state.uploads.set(id, raw);
    const body = {
      id,
      name: query.get("name") ?? "",
      commit: "5626abf".padEnd(40, "0"),
      files: 2,
      bytes: 14,
      created_at: new Date().toISOString(),
    };
    return { status: 201, body };
  },
} satisfies Routes;
