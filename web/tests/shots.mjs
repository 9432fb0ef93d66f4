import { chromium } from 'playwright-core';
const [,, base, out, ...rest] = process.argv;
// rest: size:palette:path[:js]
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless=new','--no-sandbox','--disable-quic','--no-first-run','--disable-background-networking','--disable-component-update','--disable-sync','--use-angle=swiftshader','--enable-unsafe-swiftshader','--ignore-gpu-blocklist'] });
for (const spec of rest) {
  const [name, size, palette, path, js, wait] = spec.split('~');
  const phone = size === 'phone';
  const ctx = await browser.newContext({ viewport: phone ? { width: 390, height: 844 } : { width: 1440, height: 900 }, deviceScaleFactor: phone ? 2 : 1, hasTouch: phone, isMobile: phone });
  await ctx.addInitScript((p) => localStorage.setItem('buoyline.prefs', JSON.stringify({ palette: p })), palette);
  const page = await ctx.newPage();
  page.on('console', (m) => { if (m.type() !== 'log' && !/GPU stall/.test(m.text())) console.log(name, m.type(), m.text().slice(0, 400)); });
  page.on('pageerror', (e) => console.log(name, 'ERR', e.message, e.stack?.slice(0,400)));
  await page.goto(base + path);
  await page.waitForTimeout(Number(wait ?? 5000));
  if (js) { try { const r = await page.evaluate(js); if (r !== undefined) console.log(name, JSON.stringify(r)); } catch (e) { console.log(name, 'JS', e.message); } await page.waitForTimeout(2500); }
  await page.screenshot({ path: `${out}/${name}.png` });
  await ctx.close();
}
await browser.close();
