import { FileCard } from './file-card';
import { mediaAddress } from './media-address';
import { MediaSize } from './media-size';
import { Picture } from './picture';
import { Player } from './player';
import type { ThreadMessage } from './thread-message';

/** A file as a message names it: `id` at the gateway, or `url` elsewhere. */
interface ShownFile {
  kind: string;
  id?: string | undefined;
  url?: string | undefined;
  mimeType?: string;
  name?: string | undefined;
  isVoice?: boolean | undefined;
}

/** The file of a message: a picture, a player, or a card with its name. */
export function MessageFile({ kind, id, url = '', mimeType = '', name, isVoice }: ShownFile) {
  if (id === undefined) return <FileCard href={url} name={name ?? url} about={`${kind}, sent by its address`} />;
  switch (kind) {
    case 'image':
      return <Picture id={id} alt="Picture" />;
    case 'sticker':
      return <Picture id={id} alt="Sticker" isSticker />;
    case 'audio':
      return <Player id={id} kind="audio" label={isVoice ? 'Voice message' : 'Sound'} />;
    case 'video':
      return <Player id={id} kind="video" label="Video" />;
    default:
      return <FileCard href={mediaAddress(id)} name={name ?? 'Document'} about={<MediaSize id={id} type={mimeType} />} />;
  }
}

/** @returns the file of a received or sent message, or that above the text of an interactive one */
export function fileOf({ type, media, media_id, media_url, filename, voice, offer }: ThreadMessage): ShownFile | null {
  if (media) return { kind: media.type, id: media.id, mimeType: media.mime_type, name: filename, isVoice: voice };
  const header = offer?.header;
  const [kind, id, url] = header ? [header.type, header.media_id, header.media_url] : [type, media_id, media_url];
  return id === undefined && url === undefined ? null : { kind, id, url, name: filename, isVoice: voice };
}
