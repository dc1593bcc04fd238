import type { Static, TSchema } from '@sinclair/typebox';

/** A hint to every replica that a cached fact has changed. May be lost: caches also expire by themselves within 5 s. */
export interface Announcement<Data extends TSchema = TSchema> {
  readonly subject: string;
  readonly data: Data;
}
export type AnnouncedData<A extends Announcement> = Static<A['data']>;

export function announcement<Data extends TSchema>(name: string, data: Data): Announcement<Data> {
  return { subject: `announce.${name}`, data };
}
