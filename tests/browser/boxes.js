/* What is wrong with the boxes of a page in this window: too wide, longer than its panes, texts over each other, texts cut beyond reach. */
() => {
  const skipped = '.sr, [hidden], template, script, style, option, select, textarea, noscript, title, desc, .ace_editor, dialog:not([open])';
  const faults = [];
  const short = (text) => text.trim().replace(/\s+/g, ' ').slice(0, 50);
  const place = (one) => {
    const at = one.closest('[id]');
    return `${at ? `#${at.id} ` : ''}${one.tagName.toLowerCase()}.${String(one.getAttribute('class') ?? '').trim().replace(/\s+/g, '.')}`;
  };
  const styles = new Map();
  const styleOf = (one) => {
    if (!styles.has(one)) styles.set(one, getComputedStyle(one));
    return styles.get(one);
  };
  // How a box is seen through what hides and scrolls around it, and whether the rest of it can be had by scrolling.
  const seen = (box, parent) => {
    let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
    const cut = { x: null, y: null };
    const scrolls = { x: false, y: false };
    for (let at = parent; at && at !== document.body && at !== document.documentElement; at = at.parentElement) {
      const style = styleOf(at);
      if (style.position === 'fixed') break;
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      if (style.display === 'inline' || style.display === 'contents') continue;
      const around = at.getBoundingClientRect();
      for (const [axis, overflow, from, to, low, high] of [
        ['x', style.overflowX, left, right, around.left, around.right],
        ['y', style.overflowY, top, bottom, around.top, around.bottom],
      ]) {
        if (overflow === 'visible') continue;
        if (/auto|scroll/.test(overflow)) scrolls[axis] = true;
        else if ((to > high + 1.5 || from < low - 1.5) && !scrolls[axis]) cut[axis] ??= at;
      }
      if (style.overflowX !== 'visible') [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
      if (style.overflowY !== 'visible') [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
    }
    return { left, top, right, bottom, cut };
  };
  const isTold = (one) => one.closest('[title], details > summary') || one.closest('summary, label, a, button, th, td, li')?.querySelector('[title]');
  const isEllipsis = (style) => style.textOverflow === 'ellipsis' || (style.webkitLineClamp !== 'none' && style.webkitLineClamp !== '');

  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('body *')].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.width && box.right > innerWidth + 0.5 && seen(box, one.parentElement).right > innerWidth + 0.5;
    });
    faults.push(['wide', place(wide.at(-1) ?? document.body), String(document.documentElement.scrollWidth)]);
  }
  // A page of panes does not scroll; what is only read out makes it longer where no pane is positioned around it.
  const root = document.documentElement;
  if (styleOf(document.body).overflowY === 'hidden' && root.scrollHeight > innerHeight + 1) {
    const out = [...document.querySelectorAll('.sr')].find((one) => one.getBoundingClientRect().bottom > innerHeight + 1);
    faults.push(['long', place(out ?? document.body), String(root.scrollHeight)]);
  }
  const boxes = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const parent = text.parentElement;
    if (!text.textContent.trim() || parent.closest(skipped) || !parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const box of range.getClientRects()) {
      if (box.width < 2 || box.height < 2) continue;
      const at = seen(box, parent);
      const signed = at.cut.x && isEllipsis(styleOf(at.cut.x)) ;
      if (at.cut.x && at.cut.x.getBoundingClientRect().width > 1 && (!signed || !isTold(parent)))
        faults.push([signed ? 'untold' : 'cut', place(at.cut.x), short(text.textContent)]);
      else if (at.cut.y && at.cut.y.getBoundingClientRect().height > 1 && !isEllipsis(styleOf(at.cut.y)) && Math.min(box.bottom - at.bottom, 99) + Math.max(at.top - box.top, 0) > 4)
        faults.push(['cut', place(at.cut.y), short(text.textContent)]);
      // Lines of text touch each other where they are set tight: what counts is the middle of the line.
      const [top, bottom] = [Math.max(at.top, box.top + box.height * 0.25), Math.min(at.bottom, box.bottom - box.height * 0.25)];
      if (at.right - at.left > 2 && bottom - top > 1) boxes.push({ left: at.left, right: at.right, top, bottom, parent, text: text.textContent });
    }
  }
  // Whatever is laid over the page has a ground of its own.
  const layer = (one) => one.closest('dialog, .popover, .toast, .toasts, .key-hint, [popover]');
  const grounded = (one, other) => {
    for (let at = one; at && !at.contains(other); at = at.parentElement)
      if (/absolute|fixed|sticky/.test(styleOf(at).position) && styleOf(at).backgroundColor !== 'rgba(0, 0, 0, 0)') return true;
    return false;
  };
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((one, index) => {
    for (let next = index + 1; next < boxes.length && boxes[next].top < one.bottom; next++) {
      const other = boxes[next];
      const [width, height] = [Math.min(one.right, other.right) - Math.max(one.left, other.left), Math.min(one.bottom, other.bottom) - other.top];
      if (width < 2 || height < 2 || layer(one.parent) !== layer(other.parent)) continue;
      if (one.parent === other.parent || grounded(one.parent, other.parent) || grounded(other.parent, one.parent)) continue;
      faults.push(['over', place(one.parent), `${short(one.text)} / ${short(other.text)}`]);
    }
  });
  return [...new Map(faults.map((one) => [one.join(), one])).values()];
}
