import { useEffect, useRef, useState, type ReactNode } from "react";
import { number } from "~/ui/bytes";
import { visible } from "~/ui/visible";
import { nameOf } from "./tree";

/** In the place of a content: why the page does not show it. */
export const Said = ({ children }: { children: ReactNode }) => (
  <p className="px-4 py-6 text-fg-2">{children}</p>
);

/** A picture in its own size, or smaller where it does not fit. */
export function Picture({ content, type, path }: { content: Uint8Array; type: string; path: string }) {
  const image = useRef<HTMLImageElement>(null);
  const [size, setSize] = useState<string>();
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    const address = URL.createObjectURL(new Blob([content as BlobPart], { type }));
    if (image.current) image.current.src = address;
    return () => URL.revokeObjectURL(address);
  }, [content, type]);
  if (broken) return <Said>The browser cannot draw this picture. The file may be damaged.</Said>;
  return (
    <figure className="flex flex-col items-center gap-2 bg-sunken p-4">
      <img
        ref={image}
        alt={`Content of ${visible(nameOf(path))}`}
        className="max-h-[60vh] max-w-full object-contain"
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
          setSize(`${number(naturalWidth)} × ${number(naturalHeight)} pixels`)
        }
        onError={() => setBroken(true)}
      />
      <figcaption className="text-small text-fg-3">{size}</figcaption>
    </figure>
  );
}
