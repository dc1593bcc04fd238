import { sendableFile } from './sendable-file';

describe('files that an agent attaches (decision 403)', () => {
  it.each([
    ['image/png', 5_242_880, { kind: 'image' }],
    ['video/mp4', 1, { kind: 'video' }],
    ['audio/ogg', 1, { kind: 'audio' }],
    ['application/pdf', 100 * 1024 * 1024, { kind: 'document' }],
    ['image/png', 5_242_881, { problem: 'a is too large: WhatsApp takes pictures of at most 5 MB.' }],
    ['application/pdf', 0, { problem: 'a is empty.' }],
    ['image/webp', 1, { problem: expect.stringMatching(/^WhatsApp does not send files like a\./) as string }],
    ['', 1, { problem: expect.stringMatching(/^WhatsApp does not send/) as string }],
  ])('a file of type %s with %i bytes', (type, size, result) => {
    expect(sendableFile({ name: 'a', type, size })).toEqual(result);
  });
});
