// Pictures of screens, to look at: node tests/shots.mjs URL FOLDER SPEC…, a SPEC being name~size~palette~path[~script[~wait_ms]].
// LOGIN=user:password logs in first; SIZE is desk or phone.
import { openBrowser } from './support/browser.mjs';

const [base, folder, ...specs] = process.argv.slice(2);
const browser = await openBrowser();
for (const spec of specs) {
  const [name, size, palette, path, script, wait_ms] = spec.split('~');
  const page = await browser.page({ size, palette });
  page.on('console', (message) => {
    if (message.type() === 'error') console.log(name, message.text().slice(0, 300));
  });
  if (process.env.LOGIN) {
    const [user, password] = process.env.LOGIN.split(':');
    await page.context().request.post(`${base}/api/v1/login`, { data: { user, password } });
  }
  await page.goto(base + path);
  await page.waitForTimeout(Number(wait_ms || 5000));
  if (script) {
    const said = await page.evaluate(script).catch((fault) => fault.message);
    if (said !== undefined) console.log(name, JSON.stringify(said));
    await page.waitForTimeout(2500);
  }
  await page.screenshot({ path: `${folder}/${name}.png` });
  for (const fault of page.faults) console.log(name, fault);
  await page.context().close();
}
await browser.close();
