/** Reads a part of a text file, and tells text from other bytes. */

import type { WorkingFolder } from './working-folder';

export interface TextPart {
  readonly text: string;
  readonly sizeBytes: number;
  /** Where the part after this one starts; absent at the end of the file. */
  readonly nextByte?: number;
}

/** @throws Error, with a sentence for the model, where it is no text file of the folder */
export async function readTextFile(
  folder: WorkingFolder,
  path: string,
  { fromByte, maxBytes }: { readonly fromByte: number; readonly maxBytes: number },
): Promise<TextPart> {
  const file = await folder.openFile(path);
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(maxBytes, Math.max(0, size - fromByte))),
      position: fromByte,
    });
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) throw new Error(`"${path}" is not a text file`);
    const whole = fromByte + bytesRead >= size ? bytes : withoutCutCharacter(bytes);
    const nextByte = fromByte + whole.length;
    return { text: whole.toString('utf8'), sizeBytes: size, ...(nextByte < size && whole.length > 0 ? { nextByte } : {}) };
  } finally {
    await file.close();
  }
}

/** Drops the bytes of a last character that the part would cut: they start the next part. */
function withoutCutCharacter(bytes: Buffer): Buffer {
  const lastStart = bytes.findLastIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
  if (lastStart < 0) return bytes;
  const first = bytes[lastStart] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lastStart + length > bytes.length && lastStart > 0 ? bytes.subarray(0, lastStart) : bytes;
}
