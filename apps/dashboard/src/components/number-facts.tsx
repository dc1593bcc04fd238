import type { Schemas } from '../api/client';
import { Fact } from './fact';

type NumberDetails = 'display_phone_number' | 'verified_name' | 'quality_rating' | 'messaging_limit' | 'throughput' | 'phone_number_id';

/** The number as WhatsApp described it at the last check. */
export function NumberFacts({ connection }: { connection: Pick<Schemas['Connection'], NumberDetails> }) {
  return (
    <>
      <Fact name="Number" value={connection.display_phone_number ?? connection.phone_number_id} />
      <Fact name="Name" value={connection.verified_name} />
      <Fact name="Quality" value={connection.quality_rating} />
      <Fact name="Messaging limit" value={connection.messaging_limit} />
      <Fact name="Throughput" value={connection.throughput} />
    </>
  );
}
