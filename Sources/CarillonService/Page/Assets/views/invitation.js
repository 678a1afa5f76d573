// An opened invitation: use it in this browser, or on a device.

import { change } from '../core/api.js';
import { h } from '../core/dom.js';
import { problemWords } from '../core/words.js';
import { copyField } from '../parts/copy-field.js';

/** The code of the invitation in the address; undefined if there is none. */
export const invitationCode = () => /^#invite=([\w-]+)(&key=[\w-]+)?$/.exec(location.hash)?.[1];

/**
 * Shows the invitation, once the service said what it is for.
 *
 * @param isOpen Whether this browser has access already.
 */
export async function openInvitation(main, isOpen) {
  document.title = 'Invitation - Carillon';
  const show = (title, ...content) => main.replaceChildren(
    h('div', { class: 'closed-text' }, h('h1', { tabindex: '-1' }, title), content));
  const refuse = (error) => {
    show('This invitation does not work', h('p', { role: 'alert' }, problemWords(error)),
      isOpen && openAlready());
    main.querySelector('h1').focus();
  };
  try {
    const { role } = await change('POST', '/v1/join/check', { code: invitationCode() });
    show('You are invited',
      h('p', {}, 'This link gives access to the habits of the person who sent it. It works once.'),
      isOpen ? openAlready() : joinForm(refuse), onDevice(role));
  } catch (error) {
    refuse(error);
  }
}

function openAlready() {
  return h(
    'section', { class: 'card' }, h('h2', {}, 'In this browser'),
    h('p', {}, 'This browser has access already.'),
    h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'button primary', onclick: goOn }, 'Show the habits')),
  );
}

// Calls back with the error if the invitation was used meanwhile.
function joinForm(refuse) {
  const name = h('input', {
    type: 'text', required: true, maxlength: '64', value: ownName(), onfocus: () => name.select(),
  });
  const problem = h('p', { class: 'field-problem', role: 'alert' });
  const button = h('button', { class: 'button primary' }, 'Open in this browser');
  const form = h(
    'form', { class: 'card' }, h('h2', {}, 'In this browser'),
    h('label', { class: 'field' }, 'Name of this browser, for the owner', name),
    h('div', { class: 'buttons' }, button), problem,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const code = invitationCode();
      await change('POST', '/v1/join', { code, name: name.value.trim(), session: true });
      goOn();
    } catch (error) {
      if (error.status === 403) return refuse(error);
      problem.textContent = problemWords(error);
      button.disabled = false;
    }
  });
  return form;
}

function onDevice(role) {
  if (role === 'viewer') {
    return h('p', { class: 'muted' }, 'It is for a browser, to look. For a copy on a phone, a '
      + 'watch or a computer, ask for an invitation of a device.');
  }
  const link = `${location.origin}${location.pathname}${location.hash}`;
  const command = `carillon join '${link}' DIRECTORY --replica NAME`;
  return h(
    'section', { class: 'card' }, h('h2', {}, 'On a device'),
    h('p', {}, 'A device has a copy of everything, works offline and syncs. On a computer, run '
      + 'this with a new directory and a name for the device:'),
    copyField('The command', command),
  );
}

// The invitation leaves the address.
function goOn() {
  history.replaceState(null, '', `${location.pathname}#/today`);
  location.reload();
}

function ownName() {
  const system = navigator.userAgentData?.platform ?? navigator.platform;
  return ['Browser', system].filter(Boolean).join(' on ');
}
