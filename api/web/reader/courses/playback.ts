import { allowedSources } from '../../shared/sources';

/** How a video is played: as a file, as a page in a frame, or at its own address. */
export type Playback = 'file' | 'frame' | 'elsewhere';

const VIDEO_FILE = /\.(?:m4v|mov|mp4|ogv|webm)$/i;

/** The origins of `VIDEO_ORIGINS`; the policy of the page refuses others. */
const ORIGINS = allowedSources('video-origins');

export function playbackOf(url: string): Playback {
  if (!URL.canParse(url)) return 'elsewhere';
  const { origin, pathname } = new URL(url);
  if (!ORIGINS.includes(origin)) return 'elsewhere';
  return VIDEO_FILE.test(pathname) ? 'file' : 'frame';
}

export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
