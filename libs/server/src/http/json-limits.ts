/** Levels of arrays and objects in a body; recursive code downstream stays far from the end of the stack. */
const maximumLevels = 32;

const byte = (character: string) => character.charCodeAt(0);
const [quote, backslash, comma] = [byte('"'), byte('\\'), byte(',')];
const [openArray, openObject, closeArray, closeObject] = [byte('['), byte('{'), byte(']'), byte('}')];
const space = byte(' ');

/**
 * Check the size of a JSON text without parsing it: parsing and validating many values would hold the event loop.
 * The text may be malformed.
 *
 * @returns the rule that it breaks; `undefined` when it breaks none
 */
export function findExceededJsonLimit(json: Uint8Array, maximumValues: number): string | undefined {
  let values = 1;
  let levels = 0;
  let isEmpty = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at]!;
    if (character === quote) {
      for (at++; at < json.length && json[at] !== quote; at++) if (json[at] === backslash) at++;
      isEmpty = false;
    } else if (character === openArray || character === openObject) {
      if (++levels > maximumLevels) return `must nest at most ${maximumLevels} levels`;
      values++;
      isEmpty = true;
    } else if (character === closeArray || character === closeObject) {
      levels--;
      if (isEmpty) values--;
      isEmpty = false;
    } else if (character === comma) values++;
    else if (character > space) isEmpty = false;
    // An array that was just opened may still turn out to be empty.
    if (values > maximumValues && !isEmpty) return `must have at most ${maximumValues} JSON values`;
  }
  return undefined;
}
