/* Import, and other forms of files (without pasted text): says how far the upload is, and enables saving when the choices allow it. */

const form = document.querySelector('[data-import]');
if (form) {
  const { files, folder, text } = form.elements;
  if (text) {
    const judge = () => {
      const isEmpty = !files.files.length && !folder.files.length && !text.value.trim();
      text.setCustomValidity(isEmpty ? 'Choose files above, or paste what kubectl printed here.' : '');
    };
    for (const one of [files, folder]) {
      one.addEventListener('change', () => {
        judge();
        text.dispatchEvent(new Event('input', { bubbles: true }));
      });
    }
    text.addEventListener('input', judge);
    judge();
  }
  const paths = form.querySelector('[data-paths]');
  if (paths) {
    // The names that a browser sends of a folder's files lose their folders.
    folder.addEventListener('change', () => {
      paths.value = JSON.stringify([...folder.files].map((one) => one.webkitRelativePath || one.name));
    });
  }
  const words = form.querySelector('[data-progress]');
  const bar = form.querySelector('progress');
  const reading = words.textContent;
  const rest = () => {
    bar.removeAttribute('value');
    words.textContent = reading;
  };
  form.addEventListener('htmx:xhr:progress', (ev) => {
    const { loaded, total } = ev.detail;
    if (!total || loaded >= total) {
      rest();
    } else {
      bar.value = loaded / total;
      words.textContent = `Sending, ${Math.floor((100 * loaded) / total)} %`;
    }
  });
  const place = form.querySelector('[data-problem]');
  const say = (problem) => {
    place.hidden = !problem;
    place.querySelector('span').textContent = problem;
    if (problem) place.scrollIntoView({ block: 'nearest' });
  };
  if (place) {
    form.addEventListener('htmx:beforeRequest', () => say(''));
    // In place of the toast, which would be over the button and go.
    form.addEventListener('htmx:responseError', (ev) => {
      const problem = ev.detail.xhr.getResponseHeader('X-Problem');
      if (!problem) return;
      ev.stopPropagation();
      say(decodeURIComponent(problem));
    });
  }
  form.addEventListener('htmx:beforeRequest', rest);
}

const saving = document.querySelector('[data-saving]');
if (saving) {
  const buttons = document.querySelectorAll('[data-save], [data-save-too]');
  const into = saving.querySelector('[data-into]');
  const leave = saving.querySelector('[data-leave-out]');
  const drafts = saving.querySelector('[data-in-draft]');
  const inDrafts = drafts?.querySelectorAll('button') ?? [];
  const name = saving.querySelector('[data-new-name]');
  const show = () => {
    name.hidden = into.value !== '';
    if (drafts) drafts.hidden = into.value === '';
    if (leave) for (const one of [...buttons, ...inDrafts]) one.disabled = !leave.checked;
  };
  saving.addEventListener('change', show);
  saving.addEventListener('submit', () => {
    saving.querySelector('[data-busy-words]').hidden = false;
  });
  show();
}
