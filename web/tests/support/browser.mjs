// Debian's Chromium, headless, drawing WebGL by software; every message of a page that is no log line is a fault.
import { chromium } from 'playwright-core';

const program = process.env.CHROMIUM ?? '/usr/bin/chromium';
const flags = [
  '--headless=new',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];
export const SIZES = {
  desk: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
};

export async function openBrowser() {
  const start = () => chromium.launch({ executablePath: program, args: flags });
  // It fails to start now and then on a busy machine.
  const browser = await start().catch(start);
  return {
    close: () => browser.close(),
    /** Begins a trace of what `page` does, written to `path` at its end. */
    trace: (page, path, categories) => browser.startTracing(page, { path, categories }),
    endTrace: () => browser.stopTracing(),
    /** A page of its own, with what it complained of in `faults`. */
    async page({ size = 'desk', palette = 'day', isTouch = size !== 'desk', bypassCSP = false, hasCache = true } = {}) {
      const context = await browser.newContext({
        viewport: SIZES[size],
        deviceScaleFactor: size === 'desk' ? 1 : 2,
        hasTouch: isTouch,
        isMobile: isTouch,
        bypassCSP,
        // The console's own cache answers before a test could.
        serviceWorkers: hasCache ? 'allow' : 'block',
      });
      await context.addInitScript((name) => {
        if (!localStorage.getItem('buoyline.prefs'))
          localStorage.setItem('buoyline.prefs', JSON.stringify({ palette: name }));
      }, palette);
      const page = await context.newPage();
      // A busy machine is slow, not wrong.
      page.setDefaultTimeout(120_000);
      page.faults = [];
      /** Answers that refused something, as "404 /api/v1/…". */
      page.refused = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) page.refused.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
      });
      page.on('pageerror', (error) => page.faults.push(error.message));
      page.on('console', (message) => {
        // A driver's remark on reading back, and answers that a test asked to be refused, are no faults of the page.
        if (message.type() === 'error' && !/Failed to load resource|ERR_|GPU stall/.test(message.text()))
          page.faults.push(message.text());
      });
      return page;
    },
  };
}
