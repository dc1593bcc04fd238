import { Anchor, Text } from '@mantine/core';
import { peopleCounted } from '../../components/format-number';

/** How many recipients wait for their next attempt. @param onShow shows them with the reason and the time; absent where there is no room for a button */
export function WaitingNotice({ waiting, onShow }: { waiting: number; onShow?: () => void }) {
  return (
    <Text size="sm">
      {peopleCounted(waiting)} {waiting === 1 ? 'waits' : 'wait'}: the last try did not succeed, and the broadcast tries again by itself.
      {onShow && (
        <>
          {' '}
          <Anchor component="button" type="button" size="sm" onClick={onShow}>
            Show why and when
          </Anchor>
        </>
      )}
    </Text>
  );
}
