export const operator = {
  title: 'Operator',
  lead: 'Accounts, registration and all applications of this server.',
};
