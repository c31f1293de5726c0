/* The title of the tab: the page's own, or a note in its place until the tab is looked at. */

let own = document.title;
let note = '';

const show = () => {
  document.title = note || own;
};

/** Change the page's own title: `change` makes the next one of it. */
export function changeTitle(change) {
  own = change(own);
  show();
}

/** Show a note in place of the title; "" shows the title again. */
export function noteInTitle(text) {
  note = text;
  show();
}
