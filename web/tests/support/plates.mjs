// Plates of breaches as they are on screen: solid, whole, apart from each other.

/** How many whole plates of the day's breach red a picture of the map shows; one that is partly covered is none. */
export async function platesOn(page) {
  const picture = (await page.locator('.map-canvas').screenshot()).toString('base64');
  return page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const { width, height } = image;
    const canvas = new OffscreenCanvas(width, height);
    const pen = canvas.getContext('2d');
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, width, height);
    const isRed = (i) =>
      Math.abs(data[4 * i] - 0xb3) + Math.abs(data[4 * i + 1] - 0x12) + Math.abs(data[4 * i + 2] - 0x3f) < 24;
    const seen = new Uint8Array(width * height);
    let whole = 0;
    for (let start = 0; start < width * height; start++) {
      if (seen[start] || !isRed(start)) continue;
      const open = [start];
      seen[start] = 1;
      let [left, right, top, bottom, area] = [width, 0, height, 0, 0];
      while (open.length) {
        const at = open.pop();
        const [x, y] = [at % width, Math.floor(at / width)];
        [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
        area++;
        for (const next of [x > 0 && at - 1, x < width - 1 && at + 1, at - width, at + width]) {
          if (next === false || next < 0 || next >= width * height || seen[next] || !isRed(next)) continue;
          seen[next] = 1;
          open.push(next);
        }
      }
      const [wide, high] = [right - left + 1, bottom - top + 1];
      const isPlate = wide > 70 * devicePixelRatio && Math.abs(high / devicePixelRatio - 26) < 3;
      if (isPlate && area > 0.6 * wide * high) whole++;
    }
    return whole;
  }, picture);
}
