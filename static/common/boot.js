/* Runs before the first paint: says that scripts run, so that what needs one shows and what replaces one hides; and gives the panes the
 * widths that this browser dragged them to, so that nothing jumps. */
document.documentElement.classList.add('js');
(() => {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem('pane-widths') ?? '{}') ?? {};
  } catch {
    // A store that is refused or holds something else leaves the panes as they are drawn.
  }
  for (const pane of ['queues', 'inspector', 'siblings', 'why-side'])
    for (const name of [`${pane}-narrow`, `${pane}-wide`])
      if (kept[name] > 0) document.documentElement.style.setProperty(`--${name}`, `${Number(kept[name])}px`);
})();
