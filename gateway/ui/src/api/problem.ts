// Everything that can go wrong with a request, as one error that a panel can show.

export interface FieldError {
  pointer: string;
  detail: string;
}

export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly fields: FieldError[];

  constructor(from: {
    code: string;
    status: number;
    title: string;
    detail?: string | undefined;
    requestId?: string | undefined;
    retryAfter?: number | undefined;
    fields?: FieldError[] | undefined;
  }) {
    super(from.detail || from.title);
    this.name = "Problem";
    this.code = from.code;
    this.status = from.status;
    this.title = from.title;
    this.detail = from.detail ?? "";
    this.requestId = from.requestId;
    this.retryAfter = from.retryAfter;
    this.fields = from.fields ?? [];
  }

  /** The message for the form field at a JSON pointer such as `/name`. */
  field(pointer: string): string | undefined {
    return this.fields.find((one) => one.pointer.replace(/^#/, "") === pointer)?.detail;
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** Reads an answer that is not 2xx. Never throws: an unreadable body still gives an honest problem. */
export async function readProblem(response: Response): Promise<Problem> {
  let body: Record<string, unknown> = {};
  try {
    const parsed: unknown = await response.json();
    if (parsed && typeof parsed === "object") body = parsed as Record<string, unknown>;
  } catch {
    // A proxy's HTML page, or nothing at all.
  }
  const errors = Array.isArray(body["errors"]) ? (body["errors"] as FieldError[]) : [];
  const pointer = body["pointer"];
  const detail = isText(body["detail"]) ? body["detail"] : undefined;
  const after = Number(response.headers.get("retry-after"));
  return new Problem({
    code: isText(body["code"]) ? body["code"] : `http-${response.status}`,
    status: response.status,
    title: isText(body["title"]) ? body["title"] : `The gateway answered ${response.status}`,
    detail,
    requestId:
      (body["request_id"] as string | undefined) ?? response.headers.get("x-request-id") ?? undefined,
    retryAfter: Number.isFinite(after) && after > 0 ? after : undefined,
    fields: errors.length > 0 || !isText(pointer) ? errors : [{ pointer, detail: detail ?? "" }],
  });
}

export function unreachable(): Problem {
  return new Problem({
    code: "unreachable",
    status: 0,
    title: "The gateway cannot be reached",
    detail:
      "No answer came back. Check that Roost is running and that this machine is online, then try again.",
  });
}

/** Any thrown thing as a problem, so that panels need one shape only. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({
    code: "page-fault",
    status: 0,
    title: "This part of the page failed",
    detail: error instanceof Error ? error.message : String(error),
  });
}
