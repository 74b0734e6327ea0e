import { useConnection } from './connection';
import { texts } from './texts';

/** Says that there is no connection, and how old the displayed data is. */
export function OfflineNotice() {
  const { isOnline, seenAt } = useConnection();
  const isShown = !isOnline || seenAt !== null;
  return (
    <div role="status">
      {isShown && (
        <p className="notice">
          <strong>{isOnline ? texts.noAnswer : texts.offline.title}.</strong>{' '}
          {texts.offline.reading(seenAt)}
        </p>
      )}
    </div>
  );
}
