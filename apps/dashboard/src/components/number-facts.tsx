import type { Schemas } from '../api/client';
import { Fact } from './fact';
import { numberDetails } from './number-details';

type NumberDetails = 'display_phone_number' | 'verified_name' | 'quality_rating' | 'messaging_limit' | 'throughput' | 'phone_number_id';

/** The number as WhatsApp described it at the last check. */
export function NumberFacts({ connection }: { connection: Pick<Schemas['Connection'], NumberDetails> }) {
  const { phone, quality, limit } = numberDetails(connection);
  return (
    <>
      <Fact name="Number" value={phone ?? connection.phone_number_id} />
      <Fact name="Name" value={connection.verified_name} />
      <Fact name="Quality" value={quality ?? connection.quality_rating} />
      <Fact name="Messaging limit" value={limit ?? connection.messaging_limit} />
      <Fact name="Throughput" value={connection.throughput?.toLowerCase() ?? null} />
    </>
  );
}
