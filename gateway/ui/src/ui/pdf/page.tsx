// One page of a PDF. It is drawn while it is near the view, and releases its pixels and its text when it is far away.
import { TextLayer, type PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { memo, useEffect, useRef, useState } from "react";
import type { Pdf, Size } from "./document";
import { density } from "./model";

interface Props {
  pdf: Pdf;
  number: number;
  size: Size;
  scale: number;
  near: boolean;
  onSize: (number: number, size: Size) => void;
}

const release = (canvas: HTMLCanvasElement) => {
  canvas.width = 0;
  canvas.height = 0;
  canvas.remove();
};

/** The page, from when it is near until it is far away. */
function useNearPage({ pdf, number, near, onSize }: Props, setFaulty: (faulty: boolean) => void) {
  const [page, setPage] = useState<PDFPageProxy>();
  useEffect(() => {
    if (!near) return undefined;
    let left = false;
    let got: PDFPageProxy | undefined;
    pdf.getPage(number).then(
      (one) => {
        if (left) return;
        got = one;
        const { width, height } = one.getViewport({ scale: 1 });
        onSize(number, { width, height });
        setPage(one);
      },
      () => !left && setFaulty(true),
    );
    return () => {
      left = true;
      setPage(undefined);
      // While the page is still being drawn, pdf.js does it after that.
      got?.cleanup();
    };
  }, [pdf, number, near, onSize, setFaulty]);
  return page;
}

export const PdfPage = memo(function PdfPage(props: Props) {
  const { pdf, number, size, scale } = props;
  const [faulty, setFaulty] = useState(false);
  const page = useNearPage(props, setFaulty);
  const picture = useRef<HTMLDivElement>(null);
  const text = useRef<HTMLDivElement>(null);

  // The drawing of another size stays until the new one is there.
  useEffect(() => {
    const place = picture.current;
    if (!page || !place) return undefined;
    const viewport = page.getViewport({ scale });
    const ratio = density(viewport.width, viewport.height, window.devicePixelRatio || 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.floor(viewport.width * ratio));
    canvas.height = Math.max(1, Math.floor(viewport.height * ratio));
    const task = page.render({
      canvas,
      viewport,
      ...(ratio !== 1 && { transform: [ratio, 0, 0, ratio, 0, 0] }),
    });
    let left = false;
    task.promise.then(
      () => {
        if (left) return release(canvas);
        const before = [...place.querySelectorAll("canvas")];
        place.append(canvas);
        place.dataset["drawn"] = String(scale);
        return before.forEach(release);
      },
      () => {
        release(canvas);
        if (!left) setFaulty(true);
      },
    );
    return () => {
      left = true;
      task.cancel();
    };
  }, [page, scale]);

  // Far away, or gone: its pixels are given back at once, not when the browser collects what is unused.
  useEffect(() => {
    const place = picture.current;
    if (!page || !place) return undefined;
    return () => {
      place.querySelectorAll("canvas").forEach(release);
      delete place.dataset["drawn"];
    };
  }, [page]);

  // The text follows another scale by itself, through a variable.
  useEffect(() => {
    const place = text.current;
    if (!page || !place) return undefined;
    const layer = new TextLayer({
      textContentSource: page.streamTextContent({ includeMarkedContent: true, disableNormalization: true }),
      container: place,
      viewport: page.getViewport({ scale: 1 }),
    });
    layer.render().then(
      () => {
        const end = document.createElement("div");
        end.className = "pdf-end";
        place.append(end);
      },
      // Without its text, the page can still be looked at.
      () => undefined,
    );
    return () => {
      layer.cancel();
      place.replaceChildren();
    };
  }, [page]);

  return (
    <section
      aria-label={`Page ${number} of ${pdf.numPages}`}
      data-page={number}
      className="pdf-page relative mx-auto mb-3 shrink-0 bg-surface outline outline-line"
      style={
        {
          width: size.width * scale,
          height: size.height * scale,
          "--total-scale-factor": scale,
        } as Record<string, string | number>
      }
    >
      <div ref={picture} aria-hidden className="size-full" />
      <div ref={text} className="pdf-text" />
      {faulty && (
        <p
          role="alert"
          className="absolute inset-x-0 top-0 m-3 rounded-control border border-line bg-raised px-3 py-2"
        >
          Page {number} cannot be drawn. Download the PDF to see it in another program.
        </p>
      )}
    </section>
  );
});
