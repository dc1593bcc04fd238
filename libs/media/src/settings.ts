import { env } from '@mgw/config';
import { graphSettings } from '@mgw/platform-api';

/** Settings of every service that moves files. */
export const mediaSettings = {
  ...graphSettings,
  mediaHosts: env.list(
    'META_MEDIA_HOSTS',
    {
      doc: 'hosts from which files of the platform are downloaded, in addition to that of META_GRAPH_BASE_URL; *.name is every host below it',
      default: 'lookaside.fbsbx.com,*.whatsapp.net',
    },
    hostPattern,
  ),
  mediaStore: env.parsed(
    'MEDIA_STORE',
    {
      doc: 'keeps files as long as their messages: an absolute folder that all gateways share, or a bucket of S3 or the like, https://keyid:secret@host/bucket?region=…; empty keeps none',
      default: '',
      secret: true,
    },
    storeAddress,
  ),
};

/** @throws Error unless it is a folder or the address of a bucket */
function storeAddress(text: string): string {
  const { protocol, pathname } = URL.canParse(text) ? new URL(text) : { protocol: '', pathname: '' };
  if (text.startsWith('/') || (['http:', 'https:'].includes(protocol) && /^\/[^/]/.test(pathname))) return text;
  throw new Error('must be an absolute folder, or https://host/bucket');
}

/** @throws Error unless it is a host name, with or without `*.` before it */
function hostPattern(text: string): string {
  if (/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(text)) return text.toLowerCase();
  throw new Error(`has "${text}", which is neither a host name nor *. and a host name`);
}
