import { ConfirmButton } from './confirm-button';

/** For a person other than the user. */
export function TurnTotpOff({ name, onConfirm }: { name: string; onConfirm: () => void }) {
  return (
    <ConfirmButton
      size="compact-sm"
      variant="default"
      question={`Turn two-step login off for ${name}?`}
      consequence="For somebody who lost their app and recovery codes. Their sessions end, and their password alone logs in."
      onConfirm={onConfirm}
    >
      Turn two-step login off
    </ConfirmButton>
  );
}
