import type { OperatorAccount } from '$/lib/console';

/** Actions on an account that ask for confirmation. */
export type AccountAction = 'disable' | 'enable' | 'activate' | 'makeOperator' | 'makeMember';

export const ACTION_PATCHES: Record<AccountAction, { state?: 'active' | 'disabled'; role?: 'operator' | 'member' }> = {
  disable: { state: 'disabled' },
  enable: { state: 'active' },
  activate: { state: 'active' },
  makeOperator: { role: 'operator' },
  makeMember: { role: 'member' },
};

const ORDER: Record<OperatorAccount['state'], number> = { waiting: 0, unconfirmed: 1, active: 1, disabled: 1 };

/** Accounts that wait for approval first, longest waiting at the top; then the newest. */
export function sortAccounts(accounts: OperatorAccount[]): OperatorAccount[] {
  return [...accounts].sort(
    (a, b) =>
      ORDER[a.state] - ORDER[b.state] ||
      (a.state === 'waiting' ? a.createdAt.localeCompare(b.createdAt) : b.createdAt.localeCompare(a.createdAt)),
  );
}
