// Characters that nobody sees, shown: what a person reads must be what an agent reads. As the command line writes them.

/** Controls, formats (directions of writing, joiners, tags), and all that a font is to draw nothing for. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const JOINERS = new Set(["\u200C", "\u200D"]);
/** Scripts whose spelling needs joiners. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u;
const PICTURE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F]/u;

const after = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0x20);
function before(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff ? after(text, at - 2) : text.charAt(at - 1);
}

/** A joiner where writing needs one: between letters of such a script, or between the parts of one emoji. */
function spells(text: string, at: number): boolean {
  const [left, right] = [before(text, at), after(text, at + 1)];
  return (JOINED.test(left) && JOINED.test(right)) || (PICTURE.test(left) && PICTURE.test(right));
}

/** Chooses between a sign in colour and in black and white; two of them in a row choose nothing. */
const chooses = (text: string, at: number) =>
  /[\uFE0E\uFE0F]/.test(text.charAt(at)) && !/[\s\uFE00-\uFE0F]/.test(text.charAt(at - 1) || " ");

const escaped = (code: number) =>
  code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;

/** The text with everything unseen written out: `\u{202e}` for a character that turns the direction of writing. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (found, at: number) => {
    if (found === "\n" || found === "\t" || chooses(text, at)) return found;
    if (JOINERS.has(found) && spells(text, at)) return found;
    return escaped(found.codePointAt(0) ?? 0);
  });
}
