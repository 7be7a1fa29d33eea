import type { feedback as en } from '../en/feedback';

export const feedback: typeof en = {
  title: 'フィードバック',
  lead: '認識結果への評価と、その効果です。',
};
