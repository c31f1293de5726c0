/* The title of the tab: the page's own, or a note in its place until the tab is looked at. */

let own = '';
let note = '';

/** Change the page's own title: `change` makes the next one of it. */
export function changeTitle(change) {
  if (note) own = change(own);
  else document.title = change(document.title);
}

/** Show a note in place of the title; "" shows the title again. */
export function noteInTitle(text) {
  if (!note) own = document.title;
  if (note || text) document.title = text || own;
  note = text;
}
