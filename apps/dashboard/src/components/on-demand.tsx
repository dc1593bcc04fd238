import { useEffect, useState, type ComponentType } from 'react';
import { notifyError } from '../api/client';
import { loadPage, UnreachableError } from '../load-page';

interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

/**
 * A dialog whose code is loaded when it opens for the first time. If a new version has replaced the code, the window is loaded again, as for
 * a page (decision 631); drafts stay.
 */
export function onDemand<P extends DialogProps>(load: () => Promise<ComponentType<P>>) {
  return function OnDemand(props: P) {
    const [Dialog, setDialog] = useState<ComponentType<P>>();
    const { opened, onClose } = props;
    useEffect(() => {
      if (!opened || Dialog) return;
      loadPage(load).then(
        (loaded) => setDialog(() => loaded),
        (error: unknown) => {
          if (!(error instanceof UnreachableError)) return window.location.reload();
          notifyError(error);
          onClose();
        },
      );
    }, [opened]);
    return Dialog && <Dialog {...props} />;
  };
}
