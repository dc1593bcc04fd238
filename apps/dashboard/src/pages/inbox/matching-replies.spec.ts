import { isSendKey } from './is-send-key';
import { matchingReplies } from './matching-replies';
import { initialsOf } from './person-avatar';

const REPLIES = [
  { id: 1, shortcut: 'address', text: '14 Weaver Street' },
  { id: 2, shortcut: 'hours', text: 'We open at nine.' },
  { id: 3, shortcut: 'thanks', text: 'Thank you! Our hours: nine to six.' },
];

describe('the inbox’s small rules (decision 392)', () => {
  it.each([
    ['/', [1, 2, 3]],
    ['/HO', [2, 3]],
    ['/weaver', [1]],
    ['/no', []],
    ['hours', []],
    ['/hours now', []],
  ])('offers quick replies for %j', (text, ids) => expect(matchingReplies(REPLIES, text).map(({ id }) => id)).toEqual(ids));

  it.each([
    ['Asha Nair', 'AN'],
    ['Zoë', 'Z'],
    ['محمد العلي', 'ما'],
    ['👩‍🌾 farm', '👩F'],
    ['+919876543210', '+91'],
    ['', ''],
  ])('shows %j as %j', (name, initials) => expect(initialsOf(name)).toBe(initials));

  it.each([
    [{ key: 'Enter' }, true],
    [{ key: 'Enter', shiftKey: true }, false],
    [{ key: 'Enter', nativeEvent: { isComposing: true } }, false],
    [{ key: 'Enter', keyCode: 229 }, false],
    [{ key: 'a' }, false],
  ])('sends at %j: %s', (event, sends) =>
    expect(isSendKey({ shiftKey: false, keyCode: 13, nativeEvent: { isComposing: false }, ...event } as never)).toBe(sends),
  );
});
