/* Import: says how far the upload is, and enables saving when the choices allow it. */
const form = document.querySelector('[data-import]');
if (form) {
  const words = form.querySelector('[data-progress]');
  const reading = words.textContent;
  form.addEventListener('htmx:xhr:progress', (ev) => {
    const { loaded, total } = ev.detail;
    words.textContent = total && loaded < total ? `Sending, ${Math.floor((100 * loaded) / total)} %` : reading;
  });
}

const saving = document.querySelector('[data-saving]');
if (saving) {
  const button = saving.querySelector('[data-save]');
  const into = saving.querySelector('[data-into]');
  const leave = saving.querySelector('[data-leave-out]');
  const name = saving.querySelector('[data-new-name]');
  const show = () => {
    name.hidden = into.value !== '';
    if (leave) button.disabled = !leave.checked;
  };
  saving.addEventListener('change', show);
  saving.addEventListener('submit', () => { saving.querySelector('[data-busy-words]').hidden = false; });
  show();
}
