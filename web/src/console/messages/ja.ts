import { common } from './ja/common';
import { auth } from './ja/auth';
import { overview } from './ja/overview';
import { applications } from './ja/applications';
import { maps } from './ja/maps';
import { recognition } from './ja/recognition';
import { datasets } from './ja/datasets';
import { collections } from './ja/collections';
import { catalogue } from './ja/catalogue';
import { feedback } from './ja/feedback';
import { account } from './ja/account';
import { operator } from './ja/operator';
import { server } from './ja/server';
import { palette } from './ja/palette';
import type { Messages } from './en';

export const ja: Messages = {
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
