import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { texts } from '../../shared/texts';
import { places } from '../places';
import { profileQuery } from './queries';

/** Leads to the notices, and counts those that are not read. */
export function NoticesLink() {
  const [place] = useLocation();
  const count = useQuery(profileQuery).data?.counts.notices ?? 0;
  return (
    <Link href={places.notices} aria-current={place === places.notices ? 'page' : undefined}>
      {texts.notices.heading}
      {count > 0 && (
        <span className="count">
          {count}
          <span className="visually-hidden"> {texts.notices.unread}</span>
        </span>
      )}
    </Link>
  );
}
