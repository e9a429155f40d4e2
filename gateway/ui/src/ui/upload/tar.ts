// Packs files of this browser as tar. Nothing is read here: the archive refers to the files, and the browser reads them
// while it sends them.

/** A file with its path inside the archive. */
export interface Entry {
  path: string;
  file: Blob;
}

const BLOCK = 512;
/** The longest name that fits into a header, in bytes. */
const NAME = 100;
/** The largest number of eleven octal digits: 8 GiB. */
const LARGEST = 0o77_777_777_777;

const encoder = new TextEncoder();

function padding(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

function header(name: Uint8Array, size: number, kind: string): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(encoder.encode(text), at);
  block.set(name.subarray(0, NAME), 0);
  put("0000644\0", 100);
  put("0000000\0", 108);
  put("0000000\0", 116);
  put(`${size.toString(8).padStart(11, "0")}\0`, 124);
  put("00000000000\0", 136);
  put("        ", 148);
  put(kind, 156);
  put("ustar  \0", 257);
  const sum = block.reduce((before, byte) => before + byte, 0);
  put(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

/** The archive of these files. */
export function pack(entries: Entry[]): Blob {
  const parts: BlobPart[] = [];
  for (const { path, file } of entries) {
    if (file.size > LARGEST) throw new Error(`${path} is too large for an archive.`);
    const name = encoder.encode(path);
    if (name.length > NAME) {
      // The way of GNU tar: the long name is the content of an entry before the file.
      const size = name.length + 1;
      parts.push(header(encoder.encode("././@LongLink"), size, "L"), name, new Uint8Array(1), padding(size));
    }
    parts.push(header(name, file.size, "0"), file, padding(file.size));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return new Blob(parts);
}
