// A picture that a person chose, as the gateway takes it: a square of at most so many pixels, made in the browser.

export const SIDE = 256;
export const TYPES = ["image/png", "image/jpeg", "image/webp"];
/** Of the chosen file. What is sent is much smaller. */
const MOST_BYTES = 20_000_000;

export function refusalOf({ type, size }: Pick<File, "type" | "size">): string | undefined {
  if (!TYPES.includes(type)) return "Choose a PNG, JPEG or WebP.";
  return size > MOST_BYTES ? "The file may have at most 20 MB." : undefined;
}

/** The square in the middle of a picture. */
export function squareOf(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height);
  return { x: Math.floor((width - side) / 2), y: Math.floor((height - side) / 2), side };
}

/** The middle of the picture, in the size that is shown. What the file says about its place and camera is left behind. */
export async function pictureOf(file: File): Promise<Blob> {
  const bitmap = await createImageBitmap(file);
  try {
    const { x, y, side } = squareOf(bitmap.width, bitmap.height);
    const canvas = document.createElement("canvas");
    canvas.width = SIDE;
    canvas.height = SIDE;
    canvas.getContext("2d")?.drawImage(bitmap, x, y, side, side, 0, 0, SIDE, SIDE);
    return await new Promise((done, fail) => {
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture was made"))), "image/png");
    });
  } finally {
    bitmap.close();
  }
}
