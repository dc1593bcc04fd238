import type { Static, TSchema } from '@sinclair/typebox';

/** Hints to every replica that a cached fact has changed. It may be lost: caches also expire within 5 s. */
export interface Announcement<Data extends TSchema = TSchema> {
  readonly subject: string;
  readonly data: Data;
}
export type AnnouncedData<A extends Announcement> = Static<A['data']>;

export function announcement<Data extends TSchema>(name: string, data: Data): Announcement<Data> {
  return { subject: `announce.${name}`, data };
}
