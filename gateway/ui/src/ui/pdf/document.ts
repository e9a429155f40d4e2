// Opens PDFs with pdf.js. A worker parses them, so that a large or broken file does not stop the page. The page's policy allows
// neither eval nor WebAssembly: pdf.js has no eval any more, and without WebAssembly it omits pictures in JPEG 2000 and JBIG2,
// which Roost's own PDFs do not contain.
import {
  getDocument,
  InvalidPDFException,
  PasswordException,
  PDFWorker,
  VerbosityLevel,
  type PDFDocumentProxy,
} from "pdfjs-dist/legacy/build/pdf.mjs";
import workerAddress from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker&url";

export type { PDFDocumentProxy as Pdf };

/** A picture with more pixels is omitted. */
const MOST_PICTURE = 64 * 1024 * 1024;

export type Fault = "damaged" | "protected" | "unavailable";

/** The DOM library does not know it. */
interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ) => { createScriptURL: (address: string) => string };
}

let trusted: string | undefined;

/** The page's policy refuses the address of a worker as a string. It allows this one policy, which allows one address. */
function address(): string {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  const policy = types?.createPolicy("roost-pdf", {
    createScriptURL: (wanted) => {
      if (wanted !== workerAddress) throw new TypeError("The policy roost-pdf allows only the PDF worker.");
      return wanted;
    },
  });
  return policy?.createScriptURL(workerAddress) ?? workerAddress;
}

export interface Opened {
  pdf: PDFDocumentProxy;
  /** The size of the first page in points. Most PDFs have pages of one size. */
  size: Size;
}

export interface Size {
  width: number;
  height: number;
}

/** Opens these bytes, which then belong to the worker. `close` ends the worker. */
export function open(data: Uint8Array): { opened: Promise<Opened>; close: () => void } {
  let port: Worker;
  try {
    port = new Worker((trusted ??= address()), { type: "module", name: "pdf" });
  } catch (error) {
    return {
      opened: Promise.reject(error instanceof Error ? error : new Error(String(error))),
      close: () => {},
    };
  }
  // The library's types forget that it takes a port.
  const worker = new PDFWorker({ port: port as unknown as null, verbosity: VerbosityLevel.ERRORS });
  const task = getDocument({
    data,
    worker,
    verbosity: VerbosityLevel.ERRORS,
    useWasm: false,
    enableXfa: false,
    maxImageSize: MOST_PICTURE,
  });
  // A worker whose file did not arrive answers nothing at all.
  const lost = new Promise<never>((_, fail) => {
    port.addEventListener("error", () => fail(new Error("The worker of the viewer did not start.")));
  });
  const first = async (): Promise<Opened> => {
    const pdf = await task.promise;
    const { width, height } = (await pdf.getPage(1)).getViewport({ scale: 1 });
    return { pdf, size: { width, height } };
  };
  return {
    opened: Promise.race([first(), lost]),
    close: () => {
      void task
        .destroy()
        .catch(() => undefined)
        .finally(() => {
          worker.destroy();
          port.terminate();
        });
    },
  };
}

/** Why a PDF was not opened. */
export function faultOf(error: unknown): Fault {
  if (error instanceof PasswordException) return "protected";
  if (error instanceof InvalidPDFException) return "damaged";
  // What the worker throws arrives with its name only.
  const name = error instanceof Error ? error.name : "";
  return /InvalidPDF|UnknownError|FormatError|MissingPDF/.test(name) ? "damaged" : "unavailable";
}
