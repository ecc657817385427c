/** What a message may hold: text, or parts with images, and nothing that is lost in silence. */

import { checkContent, textOf } from '../../../src/domain/check-content';

const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } } as const;

describe('the content of a message', () => {
  it('R62: is text as it is, or parts with at least one image', () => {
    expect(checkContent('look')).toBe('look');
    const parts = [{ type: 'text', text: 'what is this?' }, IMAGE];
    expect(checkContent(parts)).toEqual(parts);
    expect(textOf(checkContent(parts))).toBe('what is this?');
    expect(
      checkContent([
        { type: 'text', text: 'only' },
        { type: 'text', text: 'words' },
      ]),
    ).toBe('only\n\nwords');
  });

  it.each([
    ['', 'message'],
    ['  ', 'message'],
    [[], 'message'],
    [undefined, 'message'],
    [7, 'message'],
    [[{ type: 'video' }], 'message[0].type'],
    [[{ type: 'text', text: '' }], 'message[0].text'],
    [[IMAGE, { type: 'image_url', image_url: { url: 'http://h/x.png' } }], 'message[1].image_url.url'],
    [[{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }], 'message[0].image_url.url'],
    [[{ type: 'image_url', image_url: { url: 'data:text/html;base64,PGI+' } }], 'message[0].image_url.url'],
    [[{ type: 'image_url', image_url: { url: IMAGE.image_url.url, size: 3 } }], 'size'],
  ])('R62: %j is refused by the name of the field %s', (value, field) => {
    expect(() => checkContent(value)).toThrow(expect.objectContaining({ code: 'InvalidInput', field }) as Error);
  });
});
