/* Runs before the first paint: says that scripts run, so that what needs one shows and what replaces one hides. */
document.documentElement.classList.add('js');
