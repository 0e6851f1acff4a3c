/**
 * Ways to read a list of words each of which may become several fields.
 *
 * Several fields of a word are words beside each other (`$x` that holds blanks) or values of which one counts (a loop's).
 * Which of both is not known here, so that the list is read as a whole, with one field of each word, and from each of a
 * word's fields on. Their number grows with the fields, not with their combinations: each costs a reading of a text.
 */
/** Fields of a word that are each tried as its first. */
const MAX_STARTS = 64;
/** Readings that begin within a word, and fields of a list that is read so often: a longer list is one of values. */
const MAX_LATER = 64;
const MAX_FIELDS_READ_OFTEN = 512;

/** The readings of a list of words; the first has all fields of all words. */
export function alternativesOf<Field>(words: readonly (readonly Field[])[]): readonly (readonly Field[])[] {
  const all = words.flat();
  const most = words.reduce((longest, { length }) => Math.max(longest, length), 1);
  if (most === 1) return [all];
  if (all.length > MAX_FIELDS_READ_OFTEN) return [all, words.flatMap((fields) => fields.slice(0, 1))];
  const each = Array.from({ length: most }, (_, at) =>
    words.flatMap((fields) => fields.slice(Math.min(at, fields.length - 1)).slice(0, 1)),
  );
  const starts = words.flatMap((fields, at) =>
    fields.slice(1, MAX_STARTS).map((_, before) => [at, before + 1] as const),
  );
  const later = starts
    .slice(0, MAX_LATER)
    .map(([at, start]) => words.flatMap((fields, index) => (index === at ? fields.slice(start) : fields)));
  return [all, ...each, ...later];
}
