import type { OperatorAccount } from '$/lib/console';

/** Actions on an account that ask for confirmation. */
export type Change = 'disable' | 'enable' | 'letIn' | 'makeOperator' | 'makeMember';

export const CHANGES: Record<Change, { state?: 'active' | 'disabled'; role?: 'operator' | 'member' }> = {
  disable: { state: 'disabled' },
  enable: { state: 'active' },
  letIn: { state: 'active' },
  makeOperator: { role: 'operator' },
  makeMember: { role: 'member' },
};

const ORDER: Record<OperatorAccount['state'], number> = { waiting: 0, unconfirmed: 1, active: 1, disabled: 1 };

/** Accounts that wait for approval first, longest waiting at the top; then the newest. */
export function inOrder(accounts: OperatorAccount[]): OperatorAccount[] {
  return [...accounts].sort(
    (a, b) =>
      ORDER[a.state] - ORDER[b.state] ||
      (a.state === 'waiting' ? a.createdAt.localeCompare(b.createdAt) : b.createdAt.localeCompare(a.createdAt)),
  );
}
