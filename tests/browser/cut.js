/* Texts that end in the middle of a word without a sign: out of the window, or beyond what hides the rest of them. */
() => {
  // The editor scrolls its lines itself.
  const skipped =
    '.sr, [hidden], dialog:not([open]), svg, template, script, style, option, select, textarea, .ace_editor';
  const found = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const parent = text.parentElement;
    if (!text.textContent.trim() || parent.closest(skipped) || getComputedStyle(parent).visibility === 'hidden') continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    // One pixel is how words for readers who hear the page are hidden.
    if (box.width < 2 || box.height < 2) continue;
    let [at, isSigned, isScrolled] = [parent, false, false];
    for (; at && at !== document.body && !isScrolled; at = at.parentElement) {
      const style = getComputedStyle(at);
      const around = at.getBoundingClientRect();
      if (around.width <= 1) break;
      isScrolled = /auto|scroll/.test(style.overflow);
      isSigned ||= (style.textOverflow === 'ellipsis' && style.overflowX !== 'visible') || style.webkitLineClamp !== 'none';
      const hides = /hidden|clip/.test(style.overflowX) && !isSigned;
      if (hides && (box.right > around.right + 1.5 || box.left < around.left - 1.5) && box.left < around.right)
        found.add(`${at.className}: ${text.textContent.trim().slice(0, 60)}`);
    }
    const isIn = !at || at === document.body;
    if (isIn && !isSigned && box.right > innerWidth + 1) found.add(`window: ${text.textContent.trim().slice(0, 60)}`);
  }
  return [...found];
}
