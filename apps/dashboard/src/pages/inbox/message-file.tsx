import { FileCard } from './file-card';
import { mediaAddress } from './media-address';
import { MediaSize } from './media-size';
import { Picture } from './picture';
import { Player } from './player';
import type { ThreadMessage } from './thread-message';

/** The file of a message: a picture, a player, or a card with its name. */
export function MessageFile({ message: { media, media_url, filename, voice, type } }: { message: ThreadMessage }) {
  if (!media) return <FileCard href={media_url ?? ''} name={filename ?? media_url ?? ''} about={`${type}, sent by its address`} />;
  const { id } = media;
  switch (media.type) {
    case 'image':
      return <Picture id={id} alt="Picture" />;
    case 'sticker':
      return <Picture id={id} alt="Sticker" isSticker />;
    case 'audio':
      return <Player id={id} kind="audio" label={voice ? 'Voice message' : 'Sound'} />;
    case 'video':
      return <Player id={id} kind="video" label="Video" />;
    default:
      return <FileCard href={mediaAddress(id)} name={filename ?? 'Document'} about={<MediaSize id={id} type={media.mime_type} />} />;
  }
}
