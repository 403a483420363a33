// What is written at the two axes of the curves: two figures at least, since one alone gives no scale.

// Vocabulary sizes on a logarithmic axis.
export function sizesAt(smallest, most) {
  const sizes = [];
  for (let size = 256; size <= most; size *= most < 4096 ? 2 : 4) if (size >= smallest) sizes.push(size);
  return sizes.length > 1 ? sizes : [...new Set([smallest, most])];
}

// Bytes per token, from 1 on.
export function valuesTo(best) {
  const step = best > 6 ? 2 : best < 2 ? 0.5 : 1;
  const values = [];
  for (let value = 1; value <= best; value += step) values.push(value);
  return values;
}
