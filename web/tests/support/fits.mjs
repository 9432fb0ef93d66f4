// Whether a page has room for what is on it: nothing wider than the window, no text cut, targets large enough.

/** All text twice as large, as phones do it on request. */
export const twice = (page) =>
  page.evaluate(() => {
    // The content policy allows a sheet made by script, not one written into the page.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { -webkit-text-size-adjust: 200% !important }');
    document.adoptedStyleSheets = [sheet];
  });

/** What sticks out of the window or is cut, as words that find it: "cut: button.chip Filters". */
export const misfits = (page) =>
  page.evaluate(() => {
    const found = [];
    const wide = document.documentElement.clientWidth;
    const isShown = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
    const named = (node) =>
      `${node.localName}${[...node.classList].map((name) => `.${name}`).join('')} ${(node.textContent ?? '').trim().slice(0, 40)}`;
    const hides = (style) => /hidden|clip/.test(style.overflowX) || /hidden|clip/.test(style.overflowY);
    /** Whether it stands in something that is scrolled sideways on purpose, or is for screen readers alone. */
    const isExempt = (node) => {
      for (let at = node; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (at.matches('.unseen, .skip, .walker, .map-canvas, svg, canvas, option')) return true;
        // Handles stand across the ends of what they move; blocks of a lane are as wide as what they show.
        if (at.matches('.window-grip, .block, .scale')) return true;
        if (at !== node && /auto|scroll/.test(style.overflowX) && at.scrollWidth > at.clientWidth) {
          // The page itself and its main parts are no tables: they do not scroll sideways.
          return !at.matches('body, main, .sheet-body, .panel, .dialog, .edit-scroll') || at.matches('.scrolls-across');
        }
      }
      return false;
    };
    for (const node of document.body.querySelectorAll('*')) {
      if (!isShown(node) || isExempt(node)) continue;
      const box = node.getBoundingClientRect();
      if (!box.width || !box.height) continue;
      if (box.right > wide + 1 || box.left < -1)
        found.push(`outside: ${named(node)} (${Math.round(box.left)} to ${Math.round(box.right)} of ${wide})`);
      const style = getComputedStyle(node);
      const hasText = [...node.childNodes].some((one) => one.nodeType === 3 && one.data.trim());
      if (!hasText) continue;
      // Words that stand out of what they are on run into what is beside them.
      let holder = node;
      while (/^(inline|contents)$/.test(getComputedStyle(holder).display)) holder = holder.parentElement;
      const frame = holder.getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(node);
      const words = range.getBoundingClientRect();
      if (words.right > frame.right + 1 || words.left < frame.left - 1 || words.bottom > frame.bottom + 4)
        found.push(`too large: ${named(node)} for ${named(holder).split(' ')[0]}`);
      // The nearest that cuts what is too large for it.
      for (let at = node; at && at !== document.body; at = at.parentElement) {
        const of = at === node ? style : getComputedStyle(at);
        const frame = at.getBoundingClientRect();
        if (!hides(of)) {
          if (/auto|scroll/.test(of.overflowY)) break;
          continue;
        }
        const isCut =
          at === node
            ? node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 2
            : box.right > frame.right + 1 || box.left < frame.left - 1 || box.bottom > frame.bottom + 1;
        if (isCut) found.push(`cut: ${named(node)} by ${named(at).split(' ')[0]}`);
        break;
      }
    }
    return [...new Set(found)];
  });

/** Buttons and links on screen that are lower or narrower than `least` px: "32 × 40 button.chip Today". */
export const smallTargets = (page, selector, least) =>
  page.evaluate(
    ([chosen, px]) =>
      [...document.querySelectorAll(chosen)]
        .filter((node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }))
        .map((node) => ({ node, box: node.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.height < px - 0.5 || box.width < px - 0.5))
        .map(
          ({ node, box }) =>
            `${Math.round(box.width)} × ${Math.round(box.height)} ${node.localName}.${node.className} ${node.textContent.trim().slice(0, 30)}`,
        ),
    [selector, least],
  );
