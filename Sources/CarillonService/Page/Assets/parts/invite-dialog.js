// Invites a device or a person: a link that works once, also as a QR code.

import { change, read } from '../core/api.js';
import { h, setText, titleText } from '../core/dom.js';
import { refresh } from '../core/documents.js';
import { showProblem, speak } from '../core/messages.js';
import { counted, problemWords } from '../core/words.js';
import { copyField } from './copy-field.js';
import { dialog } from './dialog.js';
import { qrCode } from './qr-code.js';

const roles = [
  ['phone', 'A phone', 'It has a copy of everything, works offline, and syncs.'],
  ['tablet', 'A tablet', 'Like a phone; it reminds if no phone does.'],
  ['watch', 'A watch', 'Like a phone; it reminds if no phone and no tablet does.'],
  ['desktop', 'A computer', 'Like a phone; it reminds if no other device does.'],
  ['server', 'A server', 'It has a copy of everything, and never reminds.'],
  ['viewer', 'Somebody who looks', 'A browser shows everything, and changes nothing.'],
];
const lifetimes = [[900, '15 minutes'], [3_600, '1 hour'], [86_400, '1 day']];
const pollMilliseconds = 3_000;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Asks whom to invite, and shows the invitation. */
export function invite() {
  const choices = roles.map(([value, name, text], index) => h(
    'label', { class: 'choice role-choice' },
    h('input', { type: 'radio', name: 'role', value, checked: index === 0, autofocus: !index }),
    h('span', {}, name, h('small', {}, text)),
  ));
  const lifetime = h('select', {}, lifetimes.map(([value, text]) => h('option', { value }, text)));
  const problem = h('p', { class: 'field-problem', role: 'alert' });
  const form = h(
    'form', {},
    h('fieldset', { class: 'choices' }, h('legend', {}, 'Who gets access?'), choices),
    h('label', { class: 'field' }, 'The invitation works once, for', lifetime),
    h('div', { class: 'buttons' },
      h('button', { class: 'button primary' }, 'Create the invitation')),
    problem,
  );
  const content = h('div', { class: 'invitation' }, form);
  const box = dialog('Invite', content);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const role = form.querySelector(':checked').value;
    try {
      const before = await read('/v1/access');
      const invitation = await change(
        'POST', '/v1/invitations', { role, expiresSeconds: Number(lifetime.value) });
      await refresh();
      showInvitation(box, content, invitation, before.access);
    } catch (error) {
      problem.textContent = problemWords(error);
    }
  });
}

function showInvitation(box, content, invitation, before) {
  const left = h('p', { class: 'muted' });
  content.replaceChildren(
    reachNotice(new URL(invitation.link)) ?? '',
    ...invitation.qr ? [
      h('p', {}, 'Scan the code with the camera of the other device, or open the link there.'),
      qrCode(invitation.qr, 'QR code of the link'),
    ] : [h('p', {}, 'Open the link on the other device.')],
    copyField('The link', invitation.link), left,
  );
  content.querySelector('input').focus();
  const timers = [
    setInterval(tick, 1_000), setInterval(() => look().catch(showProblem), pollMilliseconds),
  ];
  const stop = () => timers.forEach(clearInterval);
  box.addEventListener('close', stop);
  tick();

  function tick() {
    const seconds = Math.round((new Date(invitation.expires) - Date.now()) / 1_000);
    if (seconds > 0) setText(left, `It works for another ${timeLeft(seconds)}.`);
    else end('The invitation has expired. Create another one.');
  }
  async function look() {
    const { access } = await read('/v1/access');
    const joined = access.find((one) =>
      one.kind !== 'invitation' && before.every((other) => other.id !== one.id));
    if (!joined) return;
    end(titleText(joined.name), ' has access now.');
    await refresh();
  }
  function end(...words) {
    stop();
    const text = h('p', { class: 'invitation-end' }, words);
    content.replaceChildren(text, h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'button', onclick: () => box.close() }, 'Close')));
    content.querySelector('button').focus();
    speak(text.textContent);
  }
}

// A link has the first of the service's names, which other devices may not find.
function reachNotice({ hostname, protocol }) {
  const words = loopback.test(hostname) ? onlyHere(protocol)
    : loopback.test(location.hostname) || hostname === location.hostname ? null
      : `The link has the name ${hostname}. For devices that do not find it, start the service `
        + `with --names ${location.hostname},${hostname}: links have the first name.`;
  return words && h('p', { class: 'notice' }, words);
}

const onlyHere = (protocol) => `The link only works on this computer. For other devices, start the `
  + `service with ${protocol === 'https:' ? '' : '--listen 0.0.0.0:8787, --tls-certificate, '
    + '--tls-key and '}--names and a name of this computer that they find, or its IP address.`;

function timeLeft(seconds) {
  if (seconds < 60) return counted(seconds, 'second');
  if (seconds < 5_400) return counted(Math.ceil(seconds / 60), 'minute');
  return counted(Math.round(seconds / 3_600), 'hour');
}
