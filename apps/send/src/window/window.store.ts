import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';

@Injectable()
export class WindowStore {
  constructor(@Inject(Database) private readonly db: Database) {}

  /** The platform calls this window closed (131047): believed until the person writes again. A message that came meanwhile keeps it open. */
  async deny(conversationId: number, lastInboundAt: Date): Promise<void> {
    await this.db.query('UPDATE send.conversations SET window_denied_for = last_inbound_at WHERE id = $1 AND last_inbound_at = $2', [
      conversationId,
      lastInboundAt,
    ]);
  }
}
