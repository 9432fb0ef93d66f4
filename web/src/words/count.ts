/** Numbers in words: plurals by the rules of the language, odds as they are spoken. */
const plurals = new Intl.PluralRules('en');

/** "1 boat", "3 boats" */
export const count = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('en')} ${plurals.select(n) === 'one' ? one : other}`;

/** Whole numbers, never 100: "odds 71 in 100", "odds more than 99 in 100". */
export function odds(confidence: number): string {
  return confidence > 0.99
    ? 'more than 99 in 100'
    : `${Math.max(0, Math.min(99, Math.round(confidence * 100)))} in 100`;
}
