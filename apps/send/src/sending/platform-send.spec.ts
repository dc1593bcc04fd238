import type { GraphClient } from '@mgw/platform-api';
import type { OutcomeService } from '../intents/outcome.service';
import type { RefusalEffects } from '../platform-errors/refusal-effects.service';
import { PlatformSendService } from './platform-send.service';

type ReservedSend = Parameters<PlatformSendService['send']>[0];

describe('a send that waited long for the database (guarantees §1, S6)', () => {
  it('is refused without a call when less than a second is left, because its response would come too late', async () => {
    const calls: string[] = [];
    const refused: string[] = [];
    const platform = new PlatformSendService(
      { sendMessage: async () => void calls.push('call') } as unknown as GraphClient,
      { refused: async ({ id }: { id: string }) => void refused.push(id) } as unknown as OutcomeService,
      {} as RefusalEffects,
    );
    const send = { intent: { id: 'i1' }, outgoing: {}, callUntil: Date.now() + 900 } as ReservedSend;
    await expect(platform.send(send)).rejects.toMatchObject({ error_code: 'PLATFORM_UNAVAILABLE' });
    expect([calls, refused]).toEqual([[], ['i1']]);
  });
});
