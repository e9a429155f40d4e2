/** A text from outside within a sentence: what it does to the direction of writing ends with it. As `<bdi>`, for strings. */
export const isolate = (text: string): string => `\u2068${text}\u2069`;
