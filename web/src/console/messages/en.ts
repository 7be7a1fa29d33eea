import { common } from './en/common';
import { auth } from './en/auth';
import { overview } from './en/overview';
import { applications } from './en/applications';
import { maps } from './en/maps';
import { recognition } from './en/recognition';
import { datasets } from './en/datasets';
import { collections } from './en/collections';
import { catalogue } from './en/catalogue';
import { feedback } from './en/feedback';
import { account } from './en/account';
import { operator } from './en/operator';
import { server } from './en/server';
import { palette } from './en/palette';

/** All messages, by page. The Japanese ones have the same type, so a missing message is a compile error. */
export const en = {
  common,
  auth,
  overview,
  applications,
  maps,
  recognition,
  datasets,
  collections,
  catalogue,
  feedback,
  account,
  operator,
  server,
  palette,
};

export type Messages = typeof en;
