import type { maps as en } from '../en/maps';

export const maps: typeof en = {
  title: '路線図',
  lead: 'このサーバーの路線図です。',
};
